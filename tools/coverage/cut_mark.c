/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What an exclusion takes out of a function: code in its lines, macros used
 * there, branches, and decisions with any such condition.
 */
#include "cut_inside.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "paths.h"

enum { NESTED_MOST = 64 };

/* ---- sources ---- */

/* Number of the source + 2; 1: nothing is excluded in the file. */
static const char *look_up(struct cut *cut, uint32_t file, uint64_t *number) {
  char *name;
  const char *error = mapping_file(&cut->mapping, file, &name);
  if (error)
    return error;
  if (*name == '/')
    paths_tidy(name);
  const struct excluded_source *source = exclusions_source(cut->set, name);
  *number = source && source->range_count
                ? (uint64_t)(source - cut->set->sources) + 2
                : 1;
  free(name);
  return NULL;
}

/* *any: something is excluded in one of the function's files. */
static const char *find_sources(struct cut *cut, bool *any) {
  const struct mapping *mapping = &cut->mapping;
  *any = false;
  for (uint32_t i = 0; i < mapping->file_count; i++) {
    uint64_t index;
    memcpy(&index, mapping->files.data + i * sizeof index, sizeof index);
    uint64_t *number = map_at(&cut->names, mapping->reference, index, 0);
    if (!number)
      return out_of_memory;
    const char *error = *number ? NULL : look_up(cut, i, number);
    if (error)
      return error;
    cut->sources[i] = *number > 1 ? &cut->set->sources[*number - 2] : NULL;
    *any |= cut->sources[i] != NULL;
  }
  return NULL;
}

static bool begin(struct cut *cut) {
  const struct mapping *mapping = &cut->mapping;
  size_t files = mapping->file_count + 1, regions = mapping->region_count + 1;
  cut->sources = calloc(files, sizeof *cut->sources);
  cut->sites = calloc(files, sizeof *cut->sites);
  cut->numbers = calloc(files, sizeof *cut->numbers);
  cut->gone = calloc(files, sizeof *cut->gone);
  cut->lost = calloc(regions, sizeof *cut->lost);
  if (!cut->sources || !cut->sites || !cut->numbers || !cut->gone || !cut->lost)
    return false;
  for (size_t i = 0; i < mapping->file_count; i++)
    cut->sites[i] = CUT_NO_SITE;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    if (region->kind == REGION_EXPANSION && region->expanded != region->file)
      cut->sites[region->expanded] = (int64_t)i;
  }
  return true;
}

const char *cut_begin(struct cut *cut, bool *any) {
  return begin(cut) ? find_sources(cut, any) : out_of_memory;
}

void cut_end(struct cut *cut) {
  free(cut->sources);
  free(cut->sites);
  free(cut->numbers);
  free(cut->gone);
  free(cut->lost);
  free(cut->out);
  cut->sources = NULL;
  cut->sites = NULL;
  cut->numbers = NULL;
  cut->gone = cut->lost = NULL;
  cut->out = NULL;
}

/* The expansion that leads to a region's file, or NULL. */
static const struct region *site_of(const struct cut *cut, uint32_t file) {
  return cut->sites[file] == CUT_NO_SITE
             ? NULL
             : &cut->mapping.regions[cut->sites[file]];
}

/* ---- what goes ---- */

const struct excluded_span *cut_span(const struct cut *cut, uint32_t file,
                                     bool branches, uint32_t line) {
  const struct excluded_source *source = cut->sources[file];
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
static bool is_inside(const struct cut *cut, const struct region *region) {
  const struct excluded_span *span =
      cut_span(cut, region->file, false, region->begin.line);
  if (!span || region->kind == REGION_EXPANSION)
    return span;
  return region->end.line <= span->last ||
         (region->kind == REGION_CODE &&
          !has_code(cut->sources[region->file], span->last, region->end.line));
}

/* Marks files of which no code is left, or that no expansion leads to any
 * more. */
static void mark_files(struct cut *cut) {
  const struct mapping *mapping = &cut->mapping;
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mapping->regions[i].kind == REGION_CODE)
      cut->gone[mapping->regions[i].file] = true;
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mapping->regions[i].kind == REGION_CODE && !cut->lost[i])
      cut->gone[mapping->regions[i].file] = false;
  for (size_t i = 0; i < mapping->file_count; i++)
    cut->gone[i] |= cut->sites[i] != CUT_NO_SITE && cut->lost[cut->sites[i]];
}

/* Marks regions in excluded lines, and what goes with them. */
static void mark_code(struct cut *cut) {
  const struct mapping *mapping = &cut->mapping;
  bool more = true;
  for (size_t i = 0; i < mapping->region_count; i++)
    cut->lost[i] = !cut_is_branch(&mapping->regions[i]) &&
                   is_inside(cut, &mapping->regions[i]);
  for (unsigned round = 0; more && round < NESTED_MOST; round++) {
    mark_files(cut);
    more = false;
    for (size_t i = 0; i < mapping->region_count; i++) {
      const struct region *region = &mapping->regions[i];
      bool lost =
          cut->gone[region->file] ||
          (region->kind == REGION_EXPANSION && cut->gone[region->expanded]);
      more |= lost && !cut->lost[i];
      cut->lost[i] |= lost;
    }
  }
}

/* Counts a use of a decision's exclusion. */
static void use_decision(struct cut *cut, const struct excluded_source *source,
                         struct place place, bool *found) {
  int64_t number =
      source ? exclusions_decision(source, place.line, place.column) : -1;
  *found |= number >= 0;
  if (number >= 0 && cut->set->list[number].kind == EXCLUDED_DECISION)
    cut->set->list[number].used++;
}

/* Whether a condition or decision begins in an excluded line, or its macro, or
 * the macro's use. */
static bool is_out(struct cut *cut, const struct region *region) {
  uint32_t file = region->file;
  struct place place = region->begin;
  bool found = false, decision = region->kind == REGION_DECISION;
  for (unsigned i = 0; !found && i < NESTED_MOST; i++) {
    found = cut_span(cut, file, false, place.line) ||
            cut_span(cut, file, true, place.line);
    if (decision)
      use_decision(cut, cut->sources[file], place, &found);
    const struct region *site = site_of(cut, file);
    if (!site)
      break;
    file = site->file;
    place = site->begin;
  }
  return found;
}

/* Whether a condition is one of a decision's. */
static bool is_of(const struct cut *cut, const struct region *condition,
                  const struct region *decision) {
  const struct region *at = condition;
  for (unsigned i = 0; at && i < NESTED_MOST; i++) {
    if (at->file == decision->file)
      return place_order(decision->begin) <= place_order(at->begin) &&
             place_order(at->end) <= place_order(decision->end);
    at = site_of(cut, at->file);
  }
  return false;
}

/* A decision needs all of its conditions. Those of one that goes are plain
 * ones. */
static void mark_decision(struct cut *cut, size_t which) {
  struct mapping *mapping = &cut->mapping;
  const struct region *decision = &mapping->regions[which];
  bool lost = cut->lost[which] || is_out(cut, decision);
  for (unsigned pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < mapping->region_count; i++) {
      struct region *region = &mapping->regions[i];
      cut->steps++;
      if (region->kind != REGION_MCDC_BRANCH || !is_of(cut, region, decision))
        continue;
      lost |= cut->lost[i];
      if (pass && lost)
        region->kind = REGION_BRANCH;
    }
  cut->lost[which] = lost;
}

void cut_mark(struct cut *cut) {
  const struct mapping *mapping = &cut->mapping;
  mark_code(cut);
  for (size_t i = 0; i < mapping->region_count; i++)
    if (cut_is_branch(&mapping->regions[i]) &&
        mapping->regions[i].kind != REGION_DECISION)
      cut->lost[i] |= is_out(cut, &mapping->regions[i]);
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mapping->regions[i].kind == REGION_DECISION)
      mark_decision(cut, i);
}
