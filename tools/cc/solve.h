/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The numbers of a flow.
 */
#ifndef CC_SOLVE_H
#define CC_SOLVE_H

#include "cfg.h"

/* Sets the number of each block and edge. Returns NULL or the error. */
const char *cfg_solve(struct cfg *flow);

#endif
