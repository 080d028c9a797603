/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef CMD_TRACE_H
#define CMD_TRACE_H

#include "../image/image.h"

/* ---- trace_least.c ----
 *
 * What ran at least, where a trace lacks something. That is no part of a whole,
 * so there are neither percentages nor a profile. A count that others are
 * subtracted from proves nothing: what it counts may have begun before the
 * trace, or go on behind it. So an `else` and what follows a `return` are not
 * shown, unless something in them has a counter of its own.
 */

/* Prints it of what the traces gave. Returns 0, or reports the error and
 * returns 1. */
int trace_least(struct join *join);

#endif
