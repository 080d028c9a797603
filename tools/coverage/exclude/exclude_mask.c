/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Takes the regions in excluded lines, and the macros that only they use, out
 * of a function's mapping before model/evaluate.c computes its numbers.
 * segments_exclude takes the excluded lines out of the segments of all other
 * regions later.
 */
#include "exclude.h"

#include "../../base/need.h"
#include "../model/evaluation.h"

#define STEPS_MOST (UINT64_C(1) << 32)

/* The function whose mapping is changed. */
struct function_mask {
  struct exclusions *set;
  struct mapping *mapping;
  const struct excluded_source **sources; /* of each file: the source with its
                                             exclusions, or NULL */
  int64_t *sites; /* of each file: the expansion that leads to it */
  bool *gone;     /* of each file: no code of it is left */
  bool *lost;     /* of each region: it is excluded */
};

static const struct line_span *find_span(const struct function_mask *mask,
                                         uint32_t file, bool branches,
                                         uint32_t line) {
  const struct excluded_source *source = mask->sources[file];
  return source ? exclusions_find_span(source, branches, line) : NULL;
}

/* Whether all code of a region is excluded. A region may end after the span, if
 * only closing brackets follow: many sections leave out the last bracket. */
static bool is_region_excluded(const struct function_mask *mask,
                               const struct region *region) {
  const struct excluded_source *source = mask->sources[region->file];
  const struct line_span *span =
      find_span(mask, region->file, false, region->begin.line);
  if (!span || region->kind == REGION_EXPANSION ||
      region->end.line <= span->last)
    return span;
  if (region->kind != REGION_CODE || !source->contents)
    return false;
  for (uint32_t line = span->last + 1; line <= region->end.line; line++)
    if (line > source->lines || source->contents[line] == LINE_CODE)
      return false;
  return true;
}

/* Marks regions in excluded lines. Then marks files without code or without an
 * expansion that leads to them, and expansions that lead to such files, until
 * nothing changes. */
static void mark_code_regions(struct function_mask *mask) {
  const struct mapping *mapping = mask->mapping;
  const struct region *regions = mapping->regions;
  bool more = true;
  for (size_t i = 0; i < mapping->region_count; i++)
    mask->lost[i] = regions[i].kind < REGION_BRANCH &&
                    is_region_excluded(mask, &regions[i]);
  for (unsigned round = 0; more && round < NESTED_MOST; round++) {
    more = false;
    for (size_t i = 0; i < mapping->region_count; i++)
      if (regions[i].kind == REGION_CODE)
        mask->gone[regions[i].file] = true;
    for (size_t i = 0; i < mapping->region_count; i++)
      if (regions[i].kind == REGION_CODE && !mask->lost[i])
        mask->gone[regions[i].file] = false;
    for (size_t i = 0; i < mapping->file_count; i++)
      mask->gone[i] |=
          mask->sites[i] != EXPANSION_NONE && mask->lost[mask->sites[i]];
    for (size_t i = 0; i < mapping->region_count; i++) {
      bool lost = mask->gone[regions[i].file] ||
                  (regions[i].kind == REGION_EXPANSION &&
                   mask->gone[regions[i].expanded]);
      more |= lost && !mask->lost[i];
      mask->lost[i] |= lost;
    }
  }
}

/* Whether a condition or decision begins in an excluded line, or the macro that
 * holds it is used in one. */
static bool is_branch_excluded(const struct function_mask *mask,
                               const struct region *region) {
  const struct region *at = region;
  bool found = false;
  for (unsigned i = 0; at && !found && i < NESTED_MOST; i++) {
    const struct excluded_source *source = mask->sources[at->file];
    struct source_position place = at->begin;
    int64_t number =
        source && region->kind == REGION_DECISION
            ? exclusions_find_decision(source, place.line, place.column)
            : -1;
    found = number >= 0 || find_span(mask, at->file, false, place.line) ||
            find_span(mask, at->file, true, place.line);
    if (number >= 0 && mask->set->list[number].kind == EXCLUDED_DECISION)
      mask->set->list[number].used++;
    at = expansion_to_file(mask->mapping, mask->sites, at->file);
  }
  return found;
}

/* Removes a decision that is excluded or has lost a condition. The conditions
 * of such a decision become plain branches. */
static void mark_decision(struct function_mask *mask, size_t which) {
  struct mapping *mapping = mask->mapping;
  const struct region *decision = &mapping->regions[which];
  bool lost = mask->lost[which] || is_branch_excluded(mask, decision);
  for (unsigned pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < mapping->region_count; i++) {
      struct region *region = &mapping->regions[i];
      mask->set->steps++;
      if (region->kind != REGION_MCDC_BRANCH ||
          !expansion_is_inside(mapping, mask->sites, region, decision))
        continue;
      lost |= mask->lost[i];
      if (pass && lost)
        region->kind = REGION_BRANCH;
    }
  mask->lost[which] = lost;
}

static void mark_regions(struct function_mask *mask) {
  struct mapping *mapping = mask->mapping;
  struct region *regions = mapping->regions;
  mark_code_regions(mask);
  for (size_t i = 0; i < mapping->region_count; i++)
    if (regions[i].kind >= REGION_BRANCH && regions[i].kind != REGION_DECISION)
      mask->lost[i] |= is_branch_excluded(mask, &regions[i]);
  for (size_t i = 0; i < mapping->region_count; i++)
    if (regions[i].kind == REGION_DECISION)
      mark_decision(mask, i);
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mask->lost[i])
      regions[i].kind = REGION_EXCLUDED;
  if (mapping->file_count && mask->gone[0])
    mapping->region_count = 0;
}

const char *mask_apply(struct exclusions *set, struct mapping *mapping,
                       const char *const *names) {
  size_t files = mapping->file_count, regions = mapping->region_count;
  struct function_mask mask = {
      set,
      mapping,
      need_memory(calloc(files + 1, sizeof *mask.sources)),
      need_memory(expansions_find(mapping)),
      need_memory(calloc(files + 1, 1)),
      need_memory(calloc(regions + 1, 1))};
  bool any = false;
  for (size_t i = 0; i < files; i++) {
    const struct excluded_source *source =
        exclusions_find_source(set, names[i]);
    mask.sources[i] = source && source->range_count ? source : NULL;
    any |= mask.sources[i] != NULL;
  }
  if (any)
    mark_regions(&mask);
  free(mask.sources);
  free(mask.sites);
  free(mask.gone);
  free(mask.lost);
  return set->steps <= STEPS_MOST ? NULL : mapping_damaged;
}
