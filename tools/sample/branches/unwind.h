/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Derives the executed code from the last branches before a sample: all
 * instructions between the target of a branch and the next taken branch. The
 * sample's stack gives the context: from the newest branch to the oldest, a
 * return adds a frame and a call removes one.
 */
#ifndef BRANCHES_UNWIND_H
#define BRANCHES_UNWIND_H

#include "../input.h"
#include "../listing.h"

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

#endif
