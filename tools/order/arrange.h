/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An order of functions in which runs touch little memory for as long as
 * possible. They are put in the order of the weighted mean of their places in
 * the runs (of the logarithm, as the beginning matters most), those that a run
 * lacks being behind its end. Then the two halves exchange functions, as long
 * as that brings functions together that the same runs call, and call at about
 * the same time; then the halves of the halves; and so on.
 *
 * Of runs all of which have the same order, this is their order.
 */
#ifndef BAREPROF_TOOLS_ORDER_ARRANGE_H
#define BAREPROF_TOOLS_ORDER_ARRANGE_H

#include "runs.h"

/* The numbers of all functions, in order, as runs_functions counts them; the
 * caller frees it. NULL: out of memory. */
uint32_t *arrange(const struct runs *runs);

#endif
