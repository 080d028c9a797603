/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The parts of bareprof trace that have a file of their own.
 */
#ifndef CMD_TRACE_H
#define CMD_TRACE_H

#include "../image/image.h"

/* ---- trace_least.c ----
 *
 * bareprof trace --least: if a trace is incomplete, its counts allow neither
 * percentages nor a profile. They still prove that code with a count ran at
 * least once. Differences of counts prove nothing, because the counted code may
 * have begun before the trace or continued after it. So an `else` and the code
 * after a `return` are not shown, unless they contain a counter.
 */

/* Prints the code that certainly ran. Returns 0, or reports the error and
 * returns 1. */
int trace_print_least(struct image_join *join);

#endif
