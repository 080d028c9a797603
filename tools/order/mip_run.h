/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Profiles of MIP among what has an order of first calls.
 */
#ifndef ORDER_MIP_RUN_H
#define ORDER_MIP_RUN_H

#include "runs.h"

/* Adds a .mip as one run, which counts as often as raw files were merged into
 * it. 0; 1, printed what is wrong; -1: it is no MIP file, nothing was done. */
int runs_add_mip(struct runs *runs, const char *name, uint64_t weight);

#endif
