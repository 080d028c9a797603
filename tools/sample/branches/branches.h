/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile of what branches tell: perf's, of a workstation's processor, or
 * ranges that were made of them.
 */
#ifndef BRANCHES_BRANCHES_H
#define BRANCHES_BRANCHES_H

#include "../build.h"
#include "unwind.h"

struct branches {
  /* Set by the caller. */
  struct program *program;
  struct samples *samples; /* what branches tell is added to its flow */
  enum attribution attribution;
  bool context, no_targets;
  /* Set by branches_find. */
  struct unwound unwound;
  struct samples ran; /* each instruction, as often as it ran */
};

/* NULL, or what is wrong; in both cases the caller calls branches_free. */
const char *branches_find(struct branches *branches);
void branches_free(struct branches *branches);

/* From rates of probes, which are those of what ran and are lost, to a profile:
 * whom calls call, and contexts. NULL, or what is wrong. */
const char *branches_build(const struct branches *branches,
                           struct building *building, struct rates *rates);

/* A call ran as often as its targets were called: of the functions of a
 * finished profile, whose totals stay. */
void branches_raise_calls(struct sampled *profile);

#endif
