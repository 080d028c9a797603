/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file marks the excluded elements of a model's functions, and the macros
 * that only excluded lines use. Then it removes all marked elements from the
 * model. Later, segments_exclude_lines removes the excluded lines from the
 * segments of the remaining regions.
 */
#include "exclude.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"
#include "../../object/mapping.h"
#include "../model/coverage_model.h"

#define STEPS_MOST (UINT64_C(1) << 32)

/* The function whose elements are marked. */
struct exclusion_mark_state {
  struct exclusions *set;
  const struct model *exported;
  /* The excluded source for each file name of the model; NULL if nothing in the
   * file is excluded. */
  const struct excluded_source **sources;
  struct model_function *function;
  struct model_region *regions, *end;
  bool *gone; /* for each file: all of its code is excluded */
  uint64_t steps;
};

static const struct excluded_source *
find_file_source(const struct exclusion_mark_state *mask, uint32_t file) {
  return mask->sources[model_files_of(mask->exported, mask->function)[file]];
}

static const struct line_span *
find_excluded_span(const struct exclusion_mark_state *mask, uint32_t file,
                   bool branches, uint32_t line) {
  const struct excluded_source *source = find_file_source(mask, file);
  return source ? exclusions_find_span(source, branches, line) : NULL;
}

/* Returns the region that leads to a file of the function, or NULL. */
static const struct model_region *
find_expansion_of_file(const struct exclusion_mark_state *mask, uint32_t file) {
  uint32_t site = mask->exported->sites[mask->function->files.begin + file];
  return site == NO_SITE ? NULL : &mask->regions[site];
}

/* Returns whether all code of a region is excluded. The region may end after
 * the excluded lines if only closing brackets follow, because many sections
 * leave out the last bracket. */
static bool is_region_excluded(const struct exclusion_mark_state *mask,
                               const struct model_region *region) {
  const struct excluded_source *source = find_file_source(mask, region->file);
  const struct line_span *span =
      find_excluded_span(mask, region->file, false, region->span.line);
  if (!span || region->kind == MODEL_EXPANSION ||
      region->span.end_line <= span->last)
    return span;
  if (region->kind != MODEL_CODE || !source->contents)
    return false;
  for (uint32_t line = span->last + 1; line <= region->span.end_line; line++)
    if (line > source->lines || source->contents[line] == LINE_CODE)
      return false;
  return true;
}

/* Marks regions in excluded lines. Then marks files without code, files without
 * an expansion that leads to them, and expansions that lead to such files.
 * Repeats this until nothing changes. */
static void mark_excluded_regions(struct exclusion_mark_state *mask) {
  uint32_t files = mask->function->files.count;
  bool more = true;
  memset(mask->gone, 0, files);
  for (struct model_region *at = mask->regions; at != mask->end; at++)
    at->excluded = is_region_excluded(mask, at);
  for (unsigned round = 0; more && round < NESTED_MOST; round++) {
    more = false;
    for (struct model_region *at = mask->regions; at != mask->end; at++)
      if (at->kind == MODEL_CODE)
        mask->gone[at->file] = true;
    for (struct model_region *at = mask->regions; at != mask->end; at++)
      if (at->kind == MODEL_CODE && !at->excluded && !at->added)
        mask->gone[at->file] = false;
    for (uint32_t i = 0; i < files; i++) {
      const struct model_region *site = find_expansion_of_file(mask, i);
      mask->gone[i] |= site && site->excluded;
    }
    for (struct model_region *at = mask->regions; at != mask->end; at++) {
      bool lost = mask->gone[at->file] ||
                  (at->kind == MODEL_EXPANSION && mask->gone[at->expanded]);
      more |= lost && !at->excluded;
      at->excluded |= lost;
    }
  }
}

/* Returns whether a branch or decision begins in an excluded line, or is in a
 * macro that an excluded line uses. */
static bool find_and_count_exclusion(const struct exclusion_mark_state *mask,
                                     const struct source_span *span,
                                     uint32_t file, bool decides) {
  bool found = mask->gone[file];
  for (unsigned i = 0; !found && i < NESTED_MOST; i++) {
    const struct excluded_source *source = find_file_source(mask, file);
    int64_t number =
        source && decides
            ? exclusions_find_for_decision(source, span->line, span->column)
            : -1;
    found = number >= 0 || find_excluded_span(mask, file, false, span->line) ||
            find_excluded_span(mask, file, true, span->line);
    if (number >= 0 && mask->set->list[number].kind == EXCLUDED_DECISION)
      mask->set->list[number].used++;
    const struct model_region *site = find_expansion_of_file(mask, file);
    if (!site)
      break;
    span = &site->span;
    file = site->file;
  }
  return found;
}

/* Marks a decision that is excluded or that has an excluded condition. The
 * conditions of such a decision become plain branches. */
static void mark_decision_if_excluded(struct exclusion_mark_state *mask,
                                      struct model_decision *decision) {
  struct model_branch *branches =
      model_branches_of(mask->exported, mask->function);
  const struct model_branch *end = branches + mask->function->branches.count;
  const struct model_condition *atoms =
      model_atoms(mask->exported) + decision->conditions.begin;
  decision->excluded =
      find_and_count_exclusion(mask, &decision->span, decision->file, true);
  for (unsigned pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < decision->conditions.count; i++)
      for (struct model_branch *at = branches; at != end; at++) {
        mask->steps++;
        if (at->file != atoms[i].file ||
            memcmp(&at->span, &atoms[i].span, sizeof at->span) != 0)
          continue;
        decision->excluded |= at->excluded;
        if (pass && decision->excluded)
          at->kind = MODEL_BRANCH;
      }
}

static void mark_excluded_elements(struct exclusion_mark_state *mask,
                                   struct model_function *one) {
  const struct model *exported = mask->exported;
  struct model_branch *branches = model_branches_of(exported, one);
  mask->function = one;
  mask->regions = model_regions_of(exported, one);
  mask->end = mask->regions + one->regions.count;
  mark_excluded_regions(mask);
  one->excluded = one->files.count && mask->gone[0];
  for (uint32_t i = 0; i < one->branches.count; i++)
    branches[i].excluded = find_and_count_exclusion(mask, &branches[i].span,
                                                    branches[i].file, false);
  for (uint32_t i = 0; i < one->decisions.count; i++)
    mark_decision_if_excluded(mask, &model_decisions_of(exported, one)[i]);
}

/* Keeps the elements of a function's range that are not excluded, and moves
 * them to index `end` of the array. */
#define KEEP(all, range, end)                      \
  do {                                             \
    uint32_t to = (end);                           \
    for (uint32_t k = 0; k < (range).count; k++)   \
      if (!(all)[(range).begin + k].excluded)      \
        (all)[(end)++] = (all)[(range).begin + k]; \
    (range) = (struct slice){to, (end)-to};        \
  } while (0)

static void drop_marked_elements(struct model *exported) {
  struct model_function *list = model_functions(exported);
  struct model_region *regions = model_regions(exported);
  struct model_branch *branches = model_branches(exported);
  struct model_decision *decisions = model_decisions(exported);
  uint32_t ends[3] = {0};
  size_t kept = 0;
  for (size_t i = 0; i < model_function_count(exported); i++) {
    if (list[i].excluded)
      continue;
    KEEP(regions, list[i].regions, ends[0]);
    KEEP(branches, list[i].branches, ends[1]);
    KEEP(decisions, list[i].decisions, ends[2]);
    list[kept++] = list[i];
  }
  exported->functions.size = kept * sizeof *list;
  exported->regions.size = ends[0] * sizeof *regions;
  exported->branches.size = ends[1] * sizeof *branches;
  exported->decisions.size = ends[2] * sizeof *decisions;
  model_set_sites(exported);
}

const char *mask_drop_excluded(struct exclusions *set, struct model *exported) {
  size_t names = exported->name_count, files = exported->files.size;
  struct exclusion_mark_state mask = {
      .set = set,
      .exported = exported,
      .sources = need_memory(calloc(names + 1, sizeof *mask.sources)),
      .gone = need_memory(malloc(files + 1))};
  for (size_t i = 0; i < names; i++) {
    const struct excluded_source *source =
        exclusions_find_source(set, exported->names[i]);
    mask.sources[i] = source && source->range_count ? source : NULL;
  }
  for (size_t i = 0;
       i < model_function_count(exported) && mask.steps <= STEPS_MOST; i++) {
    struct model_function *one = &model_functions(exported)[i];
    bool any = false;
    for (uint32_t k = 0; k < one->files.count; k++)
      any |= mask.sources[model_files_of(exported, one)[k]] != NULL;
    if (any)
      mark_excluded_elements(&mask, one);
  }
  drop_marked_elements(exported);
  free(mask.sources);
  free(mask.gone);
  return mask.steps <= STEPS_MOST ? NULL : mapping_damaged;
}
