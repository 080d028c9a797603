/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a profile from branches: perf's branches of a workstation's processor,
 * or ranges made from branches.
 */
#ifndef BRANCHES_BRANCHES_H
#define BRANCHES_BRANCHES_H

#include "../build.h"
#include "unwind.h"

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
