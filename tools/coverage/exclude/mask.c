/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Regions in excluded lines go, with all that is in the macros that they use.
 * Lines are taken out of the segments, which all other regions still make.
 */
#include "exclude_apply.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"
#include "../model/model_inside.h"

#define STEPS_MOST (UINT64_C(1) << 32)

/* ---- sources ---- */

/* Whether something is excluded in one of the function's files. */
static bool find_sources(struct mask *mask, const char *const *names) {
  bool any = false;
  for (uint32_t i = 0; i < mask->mapping->file_count; i++) {
    const struct excluded_source *source =
        i && names[i] == names[i - 1]
            ? mask->sources[i - 1]
            : exclusions_source_of(mask->set, names[i]);
    mask->sources[i] = source && source->range_count ? source : NULL;
    any |= mask->sources[i] != NULL;
  }
  return any;
}

static bool is_branch(const struct region *region) {
  return region->kind >= REGION_BRANCH;
}

static bool begin(struct mask *mask, struct mapping *mapping) {
  mask->mapping = mapping;
  mask->sources = calloc(mapping->file_count + 1, sizeof *mask->sources);
  mask->gone = calloc(mapping->file_count + 1, sizeof *mask->gone);
  mask->lost = calloc(mapping->region_count + 1, sizeof *mask->lost);
  mask->sites = expansions_find(mapping);
  return mask->sources && mask->gone && mask->lost && mask->sites;
}

static void end(struct mask *mask) {
  free(mask->sources);
  free(mask->gone);
  free(mask->lost);
  free(mask->sites);
}

/* ---- what goes ---- */

static const struct line_span *span_at(const struct mask *mask, uint32_t file,
                                       bool branches, uint32_t line) {
  const struct excluded_source *source = mask->sources[file];
  return source ? exclusions_span(source, branches, line) : NULL;
}

/* Whether a source has code behind a line, up to another one: more than closing
 * brackets. */
static bool has_code(const struct excluded_source *source, uint32_t line,
                     uint32_t last) {
  for (; line < last && source->contents && line < source->lines; line++)
    if (source->contents[line + 1] == LINE_CODE)
      return true;
  return line < last;
}

/* Whether no code of a region is left: it may reach beyond what is excluded.
 * Many sections end at the last bracket, which is not in them. */
static bool is_inside(const struct mask *mask, const struct region *region) {
  const struct line_span *span =
      span_at(mask, region->file, false, region->begin.line);
  if (!span || region->kind == REGION_EXPANSION)
    return span;
  return region->end.line <= span->last ||
         (region->kind == REGION_CODE &&
          !has_code(mask->sources[region->file], span->last, region->end.line));
}

/* Marks files of which no code is left, or that no expansion leads to any
 * more. */
static void mark_files(struct mask *mask) {
  const struct mapping *mapping = mask->mapping;
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mapping->regions[i].kind == REGION_CODE)
      mask->gone[mapping->regions[i].file] = true;
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mapping->regions[i].kind == REGION_CODE && !mask->lost[i])
      mask->gone[mapping->regions[i].file] = false;
  for (size_t i = 0; i < mapping->file_count; i++)
    mask->gone[i] |=
        mask->sites[i] != EXPANSION_NONE && mask->lost[mask->sites[i]];
}

/* Marks regions in excluded lines, and what goes with them. */
static void mark_code(struct mask *mask) {
  const struct mapping *mapping = mask->mapping;
  bool more = true;
  for (size_t i = 0; i < mapping->region_count; i++)
    mask->lost[i] = !is_branch(&mapping->regions[i]) &&
                    is_inside(mask, &mapping->regions[i]);
  for (unsigned round = 0; more && round < NESTED_MOST; round++) {
    mark_files(mask);
    more = false;
    for (size_t i = 0; i < mapping->region_count; i++) {
      const struct region *region = &mapping->regions[i];
      bool lost =
          mask->gone[region->file] ||
          (region->kind == REGION_EXPANSION && mask->gone[region->expanded]);
      more |= lost && !mask->lost[i];
      mask->lost[i] |= lost;
    }
  }
}

/* Counts a use of a decision's exclusion. */
static void use_decision(struct mask *mask,
                         const struct excluded_source *source,
                         struct source_position place, bool *found) {
  int64_t number =
      source ? exclusions_decision(source, place.line, place.column) : -1;
  *found |= number >= 0;
  if (number >= 0 && mask->set->list[number].kind == EXCLUDED_DECISION)
    mask->set->list[number].used++;
}

/* Whether a condition or decision begins in an excluded line, or its macro, or
 * the macro's use. */
static bool is_out(struct mask *mask, const struct region *region) {
  uint32_t file = region->file;
  struct source_position place = region->begin;
  bool found = false, decision = region->kind == REGION_DECISION;
  for (unsigned i = 0; !found && i < NESTED_MOST; i++) {
    found = span_at(mask, file, false, place.line) ||
            span_at(mask, file, true, place.line);
    if (decision)
      use_decision(mask, mask->sources[file], place, &found);
    const struct region *site = expansion_of(mask->mapping, mask->sites, file);
    if (!site)
      break;
    file = site->file;
    place = site->begin;
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
      mask->steps++;
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
  mark_code(mask);
  for (size_t i = 0; i < mapping->region_count; i++)
    if (is_branch(&mapping->regions[i]) &&
        mapping->regions[i].kind != REGION_DECISION)
      mask->lost[i] |= is_out(mask, &mapping->regions[i]);
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mapping->regions[i].kind == REGION_DECISION)
      mark_decision(mask, i);
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mask->lost[i])
      mapping->regions[i].kind = REGION_EXCLUDED;
  if (mapping->file_count && mask->gone[0])
    mapping->region_count = 0;
}

const char *mask_apply(struct mask *mask, struct mapping *mapping,
                       const char *const *names) {
  const char *error = begin(mask, mapping) ? NULL : out_of_memory;
  if (!error && find_sources(mask, names))
    mark(mask);
  end(mask);
  return error || mask->steps <= STEPS_MOST ? error : mapping_damaged;
}
