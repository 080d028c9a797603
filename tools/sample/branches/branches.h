/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a profile from the ranges of code in a struct branch_flow, whose
 * instructions ran one after the other, and from the branches between them.
 * make.c calls it if the input has ranges instead of samples.
 */
#ifndef BRANCHES_BRANCHES_H
#define BRANCHES_BRANCHES_H

#include "../build.h"
#include "../listing.h"
#include "../make.h"

/* Makes samples of ranges: each instruction of a range counts as often as the
 * range ran. Contexts are ignored. *to need not be initialised; the caller
 * frees it with samples_free. */
void branches_expand_ranges(struct samples *to, struct listing *listing,
                            const struct flow_entry *ranges, size_t count);

/* Makes a profile with call targets, or with contexts. rates: of the samples
 * that branches_expand_ranges makes of the flow's ranges; they are destroyed.
 * Returns NULL or the error. */
const char *branches_build(const struct samples_settings *settings,
                           struct sampled_program *program,
                           const struct branch_flow *flow,
                           struct profile_builder *building,
                           struct rates *rates);

/* Raises the count of each line in a finished profile to the sum of its call
 * targets. Totals stay. */
void branches_raise_calls(struct sampled_profile *profile);

#endif
