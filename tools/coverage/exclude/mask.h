/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What an exclusion takes out of a function: code in its lines, macros used
 * there, branches, and decisions with any such condition.
 */
#ifndef BAREPROF_TOOLS_MASK_H
#define BAREPROF_TOOLS_MASK_H

#include "../../object/mapping.h"
#include "exclude_set.h"

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
