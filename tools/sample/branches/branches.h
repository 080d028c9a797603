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
#include "../input.h"

/* Makes samples of ranges: each instruction of a range counts as often as the
 * range ran. Contexts are ignored. *to need not be initialised; the caller
 * frees it with samples_free. */
void branches_expand_ranges(struct samples *to, struct listing *listing,
                            const struct flow_entry *ranges, size_t count);

/* The input and options of one profile. */
struct branch_input {
  /* The caller sets these. */
  struct sampled_program *program;
  struct samples *samples;
  enum attribution attribution;
  bool context, no_targets;
  /* Set by branches_expand. */
  struct samples ran; /* each instruction, with the number of its executions */
};

/* Makes `ran`. The caller calls branches_free. */
void branches_expand(struct branch_input *branches);
void branches_free(struct branch_input *branches);

/* Makes a profile with call targets, or with contexts. rates are the rates
 * of `ran`, and are destroyed. Returns NULL or the error. */
const char *branches_build(const struct branch_input *branches,
                           struct profile_builder *building,
                           struct rates *rates);

/* Raises the count of each line in a finished profile to the sum of its call
 * targets. Totals stay. */
void branches_raise_calls(struct sampled_profile *profile);

#endif
