/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From the last branches before a sample to what ran: between the target of a
 * branch and the next branch that was taken, all instructions. With the
 * sample's stack it is known in which context: from the newest branch to the
 * oldest, a return adds a frame, and a call takes one away.
 */
#ifndef BRANCHES_UNWIND_H
#define BRANCHES_UNWIND_H

#include "../input.h"
#include "../listing.h"

/* What became of samples and of their branches. */
struct unwound {
  uint64_t frameless; /* samples at a function's begin or end, where stacks
                         lack a frame: left out of contexts */
  uint64_t branches;  /* of all others */
  uint64_t unlike;    /* ranges that cannot run as one: it is another program,
                         or the processor's record has a hole */
};

/* Adds all traces to samples->flow. contexts: by the calls that led there. What
 * runs below code that is not the program's begins anew there. NULL, or what is
 * wrong. */
const char *unwind(struct samples *samples, struct listing *listing,
                   bool contexts, struct unwound *unwound);

/* Makes samples of ranges, whatever their contexts: each instruction of a range
 * was seen as often as the range ran. to need not be initialised before; the
 * caller frees it with samples_free in any case. NULL, or what is wrong. */
const char *expand_ranges(struct samples *to, struct listing *listing,
                          const struct flow_entry *ranges, size_t count);

#endif
