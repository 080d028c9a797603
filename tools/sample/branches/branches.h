/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a profile from ranges of code that ran as one, and the branches between
 * them.
 */
#ifndef BRANCHES_BRANCHES_H
#define BRANCHES_BRANCHES_H

#include "../build.h"
#include "../listed.h"
#include "../input.h"

/* Makes samples of ranges in any context: each instruction of a range counts as
 * often as the range ran. to need not be initialised before; the caller frees
 * it with samples_free in any case. Returns NULL or the error. */
const char *expand_ranges(struct samples *to, struct listing *listing,
                          const struct flow_entry *ranges, size_t count);

struct branches {
  /* Set by the caller. */
  struct program *program;
  struct samples *samples;
  enum attribution attribution;
  bool context, no_targets;
  /* Set by branches_find. */
  struct samples ran; /* each instruction, with the number of its executions */
};

/* Returns NULL or the error. The caller calls branches_free in both cases. */
const char *branches_find(struct branches *branches);
void branches_free(struct branches *branches);

/* Turns rates of probes (of executed instructions; destroyed here) into a
 * profile with call targets and contexts. Returns NULL or the error. */
const char *branches_build(const struct branches *branches,
                           struct building *building, struct rates *rates);

/* Raises the count of each call to the sum of its targets, in a finished
 * profile. Totals stay. */
void branches_raise_calls(struct sampled *profile);

#endif
