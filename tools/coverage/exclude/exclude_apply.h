/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Applies the set of exclusions to a coverage, and judges the exclusions.
 */
#ifndef BAREPROF_TOOLS_EXCLUDE_APPLY_H
#define BAREPROF_TOOLS_EXCLUDE_APPLY_H

#include "../out/checks.h"
#include "../coverage.h"
#include "exclude_set.h"

/* Finds what is excluded in the sources of all ELFs, and how often it ran. If
 * anything is, coverage->masked is set: then make the model and the summaries
 * of the ELFs anew. Call it behind coverage_measure. Returns 0, or reports the
 * error and returns 1. */
int excluded_find(struct coverage *coverage);

/* Takes decisions that clang left out of MC/DC, and that are excluded, from
 * coverage->unmeasured. Then says of each exclusion whether it is stale. Call
 * it last. */
void excluded_settle(struct coverage *coverage);

/* Computes how much is excluded: the numbers before less those after. */
void excluded_total(const struct coverage *coverage, struct row *row);

/* Prints how much is excluded, and the exclusions that are stale, that are of
 * code that ran, or that lack a reason and need one. */
void excluded_print(const struct coverage *coverage);

/* Adds a check for what the user does not allow of these. */
void excluded_check(const struct coverage *coverage, struct checks *checks);

#endif
