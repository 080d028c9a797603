/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where the link register is the return address: from the entry on along every
 * way that neither calls nor saves it, and again once it is restored, up to
 * the block's end. Behind a save it may be, or hold data: what saves it is free
 * to use it. Behind a call it is of that call.
 */
#ifndef SAMPLE_LIVE_H
#define SAMPLE_LIVE_H

#include "program.h"

enum link_state { LINK_LOST, LINK_MAY_LIVE, LINK_LIVES };

/* What it is before the instruction at pc runs. Each function is looked through
 * once, in time that is linear in its size. */
enum link_state live_link(struct program *program, uint64_t pc);

#endif
