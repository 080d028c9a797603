/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef CMD_TRACE_H
#define CMD_TRACE_H

#include "../image/image.h"

/* ---- trace_least.c ----
 *
 * If a trace lacks something, its counts are no part of a whole: there are
 * neither percentages nor a profile. Code with a count has run at least once.
 * A difference of counts proves nothing: the code of a count may have begun
 * before the trace, or go on behind it. So an `else` and the code behind a
 * `return` are not shown, unless something in them has a counter of its own.
 */

/* Prints the code that ran at least. Returns 0, or reports the error and
 * returns 1. */
int trace_least(struct join *join);

#endif
