/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An order of functions in which runs touch little memory for as long as
 * possible. First sorts functions by the weighted mean of the logarithm of
 * their places in the runs: the logarithm, because the beginning matters most.
 * A function that a run lacks counts as behind the run's end. Then the two
 * halves of the list exchange functions while that brings together functions
 * that the same runs call at about the same time. The halves of the halves
 * follow, and so on.
 *
 * If all runs have the same order, the result is that order.
 */
#ifndef BAREPROF_TOOLS_ORDER_ARRANGE_H
#define BAREPROF_TOOLS_ORDER_ARRANGE_H

#include "runs.h"

/* Returns the numbers of all functions in order, as runs_functions counts them.
 * The caller frees the list. NULL: out of memory. */
uint32_t *arrange(const struct runs *runs);

#endif
