/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Regions in excluded lines go, with all that is in the macros that they use.
 * Lines are taken out of the segments, which all other regions still make.
 */
#include "exclude.h"

#include "../../base/need.h"
#include "../model/model_inside.h"

#define STEPS_MOST (UINT64_C(1) << 32)

/* A function at hand. */
struct mask {
  struct exclusions *set;
  struct mapping *mapping;
  const struct excluded_source **sources; /* of each file, or NULL */
  int64_t *sites; /* of each file, the expansion that leads to it */
  bool *gone;     /* of each file: nothing is left of it */
  bool *lost;     /* of each region */
};

static const struct line_span *span_at(const struct mask *mask, uint32_t file,
                                       bool branches, uint32_t line) {
  const struct excluded_source *source = mask->sources[file];
  return source ? exclusions_span(source, branches, line) : NULL;
}

/* Whether no code of a region is left: it may reach beyond what is excluded.
 * Many sections end at the last bracket, which is not in them. */
static bool is_inside(const struct mask *mask, const struct region *region) {
  const struct excluded_source *source = mask->sources[region->file];
  const struct line_span *span =
      span_at(mask, region->file, false, region->begin.line);
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

/* Marks regions in excluded lines, files of which no code is left or that no
 * expansion leads to any more, and what goes with these. */
static void mark_code(struct mask *mask) {
  const struct mapping *mapping = mask->mapping;
  const struct region *regions = mapping->regions;
  bool more = true;
  for (size_t i = 0; i < mapping->region_count; i++)
    mask->lost[i] =
        regions[i].kind < REGION_BRANCH && is_inside(mask, &regions[i]);
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

/* Whether a condition or decision begins in an excluded line, or its macro, or
 * the macro's use. */
static bool is_out(const struct mask *mask, const struct region *region) {
  const struct region *at = region;
  bool found = false;
  for (unsigned i = 0; at && !found && i < NESTED_MOST; i++) {
    const struct excluded_source *source = mask->sources[at->file];
    struct source_position place = at->begin;
    int64_t number =
        source && region->kind == REGION_DECISION
            ? exclusions_decision(source, place.line, place.column)
            : -1;
    found = number >= 0 || span_at(mask, at->file, false, place.line) ||
            span_at(mask, at->file, true, place.line);
    if (number >= 0 && mask->set->list[number].kind == EXCLUDED_DECISION)
      mask->set->list[number].used++;
    at = expansion_of(mask->mapping, mask->sites, at->file);
  }
  return found;
}

/* A decision needs all of its conditions. Those of one that goes are plain
 * ones. */
static void mark_decision(struct mask *mask, size_t which) {
  struct mapping *mapping = mask->mapping;
  const struct region *decision = &mapping->regions[which];
  bool lost = mask->lost[which] || is_out(mask, decision);
  for (unsigned pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < mapping->region_count; i++) {
      struct region *region = &mapping->regions[i];
      mask->set->steps++;
      if (region->kind != REGION_MCDC_BRANCH ||
          !expansion_inside(mapping, mask->sites, region, decision))
        continue;
      lost |= mask->lost[i];
      if (pass && lost)
        region->kind = REGION_BRANCH;
    }
  mask->lost[which] = lost;
}

static void mark(struct mask *mask) {
  struct mapping *mapping = mask->mapping;
  struct region *regions = mapping->regions;
  mark_code(mask);
  for (size_t i = 0; i < mapping->region_count; i++)
    if (regions[i].kind >= REGION_BRANCH && regions[i].kind != REGION_DECISION)
      mask->lost[i] |= is_out(mask, &regions[i]);
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
  struct mask mask = {set,
                      mapping,
                      need(calloc(files + 1, sizeof *mask.sources)),
                      need(expansions_find(mapping)),
                      need(calloc(files + 1, 1)),
                      need(calloc(regions + 1, 1))};
  bool any = false;
  for (size_t i = 0; i < files; i++) {
    const struct excluded_source *source = exclusions_source(set, names[i]);
    mask.sources[i] = source && source->range_count ? source : NULL;
    any |= mask.sources[i] != NULL;
  }
  if (any)
    mark(&mask);
  free(mask.sources);
  free(mask.sites);
  free(mask.gone);
  free(mask.lost);
  return set->steps <= STEPS_MOST ? NULL : mapping_damaged;
}
