/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where the macros and included files of a function are used: its regions are
 * in numbered files, of which each but the first is an expansion's.
 */
#ifndef BAREPROF_TOOLS_EXPANSIONS_H
#define BAREPROF_TOOLS_EXPANSIONS_H

#include <stdlib.h>

#include "../../object/mapping.h"

enum { EXPANSION_NONE = -1, EXPANSIONS_NESTED_MOST = 64 };

/* Whether a region is inside another one of the same file. */
static inline bool region_holds(const struct region *outer,
                                const struct region *inner) {
  return place_order(outer->begin) <= place_order(inner->begin) &&
         place_order(inner->end) <= place_order(outer->end);
}

/* For each file of the function at hand the number of the region that leads to
 * it, or EXPANSION_NONE. The caller frees the list. NULL: out of memory. */
static inline int64_t *expansions_find(const struct mapping *mapping) {
  int64_t *sites = malloc((mapping->file_count + 1) * sizeof *sites);
  for (size_t i = 0; sites && i < mapping->file_count; i++)
    sites[i] = EXPANSION_NONE;
  for (size_t i = 0; sites && i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    if (region->kind == REGION_EXPANSION && region->expanded != region->file)
      sites[region->expanded] = (int64_t)i;
  }
  return sites;
}

/* The region that leads to a file. NULL: none does. */
static inline const struct region *expansion_of(const struct mapping *mapping,
                                                const int64_t *sites,
                                                uint32_t file) {
  return sites[file] == EXPANSION_NONE ? NULL : &mapping->regions[sites[file]];
}

/* The region, or the expansion that it comes from, in a file. NULL: it is
 * elsewhere. */
static inline const struct region *expansion_in(const struct mapping *mapping,
                                                const int64_t *sites,
                                                const struct region *inner,
                                                uint32_t file) {
  for (unsigned i = 0; inner && i < EXPANSIONS_NESTED_MOST; i++) {
    if (inner->file == file)
      return inner;
    inner = expansion_of(mapping, sites, inner->file);
  }
  return NULL;
}

/* Whether a region, or the expansion that it comes from, is inside another. */
static inline bool expansion_inside(const struct mapping *mapping,
                                    const int64_t *sites,
                                    const struct region *inner,
                                    const struct region *outer) {
  const struct region *here = expansion_in(mapping, sites, inner, outer->file);
  return here && region_holds(outer, here);
}

#endif
