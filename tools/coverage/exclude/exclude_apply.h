/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Applies the set of exclusions to a coverage, and judges the exclusions.
 */
#ifndef BAREPROF_TOOLS_EXCLUDE_APPLY_H
#define BAREPROF_TOOLS_EXCLUDE_APPLY_H

#include "../../object/mapping.h"
#include "../coverage.h"
#include "../out/checks.h"
#include "exclude_set.h"

/* Finds what is excluded in the sources of all ELFs, and how often it ran. If
 * anything is, coverage->masked is set: then make the model and the summaries
 * of the ELFs anew. Call it once there is a model. Returns 0, or reports the
 * error and returns 1. */
int excluded_find(struct coverage *coverage);

/* Takes decisions that clang left out of MC/DC, and that are excluded, from
 * coverage->unmeasured. Then says of each exclusion whether it is stale. Call
 * it last. */
void excluded_settle(struct coverage *coverage);

/* Computes how much is excluded: the numbers before less those after. */
void excluded_total(const struct coverage *coverage, struct file_row *row);

/* Prints how much is excluded, and the exclusions that are stale, that are of
 * code that ran, or that lack a reason and need one. */
void excluded_print(const struct coverage *coverage);

/* Adds a check for what the user does not allow of these. */
void excluded_check(const struct coverage *coverage, struct checks *checks);

/* ---- mask.c ----
 *
 * What an exclusion takes out of a function: code in its lines, macros used
 * there, branches, and decisions with any such condition.
 */

/* Begin with {.set = SET}. */
struct mask {
  struct exclusions *set;
  /* Only for mask.c: of the function at hand. */
  struct mapping *mapping;
  const struct excluded_source **sources; /* of each file, or NULL */
  int64_t *sites; /* of each file, the expansion that leads to it */
  bool *gone;     /* of each file: nothing is left of it */
  bool *lost;     /* of each region */
  uint64_t steps;
};

/* Marks the regions of the function at hand, as evaluate_mask.apply does.
 * Counts the uses of decisions' exclusions. Returns NULL or the error. */
const char *mask_apply(struct mask *mask, struct mapping *mapping,
                       const char *const *names);

#endif
