/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shared by the files that cut the mapping only.
 */
#ifndef BAREPROF_TOOLS_CUT_INSIDE_H
#define BAREPROF_TOOLS_CUT_INSIDE_H

#include "../base/map.h"
#include "../object/mapping.h"
#include "cut.h"

/* Use {.names = {.limit = CUT_SOURCES_MOST}} at first. */
enum { CUT_SOURCES_MOST = 1 << 22, CUT_NO_SITE = -1 };
struct cut {
  struct exclusions *set;
  struct mapping mapping;
  struct map names; /* from a file's number in an object to its source */
  /* The function at hand. */
  const struct excluded_source **sources; /* of each file, or NULL */
  int64_t *sites;     /* of each file, the expansion that leads to it */
  uint32_t *numbers;  /* of each file, its new number */
  bool *gone;         /* of each file: nothing is left of it */
  bool *lost;         /* of each region */
  struct region *out; /* what is left */
  size_t count;
  uint64_t steps;
};

/* Begins a function. *any: something is excluded in its sources. Returns NULL
 * or the error. Call cut_end in both cases. */
const char *cut_begin(struct cut *cut, bool *any);
void cut_end(struct cut *cut);

/* Marks the files and regions that go. */
void cut_mark(struct cut *cut);

/* The excluded lines around a line of a file, or NULL. branches: the lines
 * whose branches are excluded. */
const struct excluded_span *cut_span(const struct cut *cut, uint32_t file,
                                     bool branches, uint32_t line);

/* Whether a region is a condition or a decision: it says nothing of lines. */
static inline bool cut_is_branch(const struct region *region) {
  return region->kind >= REGION_BRANCH;
}

#endif
