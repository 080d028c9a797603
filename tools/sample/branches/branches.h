/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a profile from branches: perf's branches of a workstation's processor,
 * or ranges made from branches.
 */
#ifndef BRANCHES_BRANCHES_H
#define BRANCHES_BRANCHES_H

#include "../build.h"
#include "../code.h"
#include "../input.h"

/* ---- unwind.c ----
 *
 * Derives the executed code from the last branches before a sample: all
 * instructions between the target of a branch and the next taken branch. The
 * sample's stack gives the context: from the newest branch to the oldest, a
 * return adds a frame and a call removes one.
 */

/* Statistics of samples and their branches. */
struct unwound {
  uint64_t frameless; /* samples at a function's begin or end, where stacks
                         lack a frame: left out of contexts */
  uint64_t branches;  /* of all others */
  uint64_t unlike;    /* ranges that cannot run as one: the program is
                         another one, or the processor's record has a hole */
};

/* Adds all traces to samples->flow. contexts: separately by the calls that led
 * there. Code called from outside the program begins a new context. Returns
 * NULL or the error. */
const char *unwind(struct samples *samples, struct listing *listing,
                   bool contexts, struct unwound *unwound);

/* Makes samples of ranges in any context: each instruction of a range counts as
 * often as the range ran. to need not be initialised before; the caller frees
 * it with samples_free in any case. Returns NULL or the error. */
const char *expand_ranges(struct samples *to, struct listing *listing,
                          const struct flow_entry *ranges, size_t count);

struct branches {
  /* Set by the caller. */
  struct program *program;
  struct samples *samples; /* the branches are added to its flow */
  enum attribution attribution;
  bool context, no_targets;
  /* Set by branches_find. */
  struct unwound unwound;
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
