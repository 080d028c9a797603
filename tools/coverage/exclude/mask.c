/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Marks what is excluded in the functions of a model, and the macros that only
 * excluded lines use, then takes what is marked out of the model. segments_mask
 * takes the excluded lines out of the segments of all other regions later.
 */
#include "exclude.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"
#include "../../object/mapping.h"
#include "../model/exported.h"

#define STEPS_MOST (UINT64_C(1) << 32)

/* The function whose elements are marked. */
struct mask {
  struct exclusions *set;
  const struct exported *exported;
  /* The source of each name of the model; NULL: nothing of it is excluded. */
  const struct excluded_source **sources;
  struct exported_function *function;
  struct exported_region *regions, *end;
  bool *gone; /* of each file of the function: no code of it is left */
  uint64_t steps;
};

static const struct excluded_source *source_of(const struct mask *mask,
                                               uint32_t file) {
  return mask->sources[exported_files_of(mask->exported, mask->function)[file]];
}

static const struct line_span *span_at(const struct mask *mask, uint32_t file,
                                       bool branches, uint32_t line) {
  const struct excluded_source *source = source_of(mask, file);
  return source ? exclusions_span(source, branches, line) : NULL;
}

/* Returns the region that leads to a file of the function, or NULL. */
static const struct exported_region *site_of(const struct mask *mask,
                                             uint32_t file) {
  uint32_t site = mask->exported->sites[mask->function->files.begin + file];
  return site == NO_SITE ? NULL : &mask->regions[site];
}

/* Whether all code of a region is excluded. A region may end after the span, if
 * only closing brackets follow: many sections leave out the last bracket. */
static bool is_inside(const struct mask *mask,
                      const struct exported_region *region) {
  const struct excluded_source *source = source_of(mask, region->file);
  const struct line_span *span =
      span_at(mask, region->file, false, region->span.line);
  if (!span || region->kind == EXPORTED_EXPANSION ||
      region->span.end_line <= span->last)
    return span;
  if (region->kind != EXPORTED_CODE || !source->contents)
    return false;
  for (uint32_t line = span->last + 1; line <= region->span.end_line; line++)
    if (line > source->lines || source->contents[line] == LINE_CODE)
      return false;
  return true;
}

/* Marks regions in excluded lines. Then marks files without code or without an
 * expansion that leads to them, and expansions that lead to such files, until
 * nothing changes. */
static void mark_regions(struct mask *mask) {
  uint32_t files = mask->function->files.count;
  bool more = true;
  memset(mask->gone, 0, files);
  for (struct exported_region *at = mask->regions; at != mask->end; at++)
    at->excluded = is_inside(mask, at);
  for (unsigned round = 0; more && round < NESTED_MOST; round++) {
    more = false;
    for (struct exported_region *at = mask->regions; at != mask->end; at++)
      if (at->kind == EXPORTED_CODE)
        mask->gone[at->file] = true;
    for (struct exported_region *at = mask->regions; at != mask->end; at++)
      if (at->kind == EXPORTED_CODE && !at->excluded && !at->added)
        mask->gone[at->file] = false;
    for (uint32_t i = 0; i < files; i++)
      mask->gone[i] |= site_of(mask, i) && site_of(mask, i)->excluded;
    for (struct exported_region *at = mask->regions; at != mask->end; at++) {
      bool lost = mask->gone[at->file] || (at->kind == EXPORTED_EXPANSION &&
                                           mask->gone[at->expanded]);
      more |= lost && !at->excluded;
      at->excluded |= lost;
    }
  }
}

/* Whether a branch or decision begins in an excluded line, or the macro that
 * holds it is used in one. */
static bool is_out(const struct mask *mask, const struct source_span *span,
                   uint32_t file, bool decides) {
  bool found = mask->gone[file];
  for (unsigned i = 0; !found && i < NESTED_MOST; i++) {
    const struct excluded_source *source = source_of(mask, file);
    int64_t number = source && decides ? exclusions_decision(source, span->line,
                                                             span->column)
                                       : -1;
    found = number >= 0 || span_at(mask, file, false, span->line) ||
            span_at(mask, file, true, span->line);
    if (number >= 0 && mask->set->list[number].kind == EXCLUDED_DECISION)
      mask->set->list[number].used++;
    const struct exported_region *site = site_of(mask, file);
    if (!site)
      break;
    span = &site->span;
    file = site->file;
  }
  return found;
}

/* Marks a decision that is excluded or has lost a condition. The conditions of
 * such a decision become plain branches. */
static void mark_decision(struct mask *mask,
                          struct exported_decision *decision) {
  struct exported_branch *branches =
      exported_branches_of(mask->exported, mask->function);
  const struct exported_branch *end = branches + mask->function->branches.count;
  const struct exported_condition *atoms =
      exported_atoms(mask->exported) + decision->conditions.begin;
  decision->excluded = is_out(mask, &decision->span, decision->file, true);
  for (unsigned pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < decision->conditions.count; i++)
      for (struct exported_branch *at = branches; at != end; at++) {
        mask->steps++;
        if (at->file != atoms[i].file ||
            memcmp(&at->span, &atoms[i].span, sizeof at->span) != 0)
          continue;
        decision->excluded |= at->excluded;
        if (pass && decision->excluded)
          at->kind = EXPORTED_BRANCH;
      }
}

static void mark_function(struct mask *mask, struct exported_function *one) {
  const struct exported *exported = mask->exported;
  struct exported_branch *branches = exported_branches_of(exported, one);
  mask->function = one;
  mask->regions = exported_regions_of(exported, one);
  mask->end = mask->regions + one->regions.count;
  mark_regions(mask);
  one->excluded = one->files.count && mask->gone[0];
  for (uint32_t i = 0; i < one->branches.count; i++)
    branches[i].excluded =
        is_out(mask, &branches[i].span, branches[i].file, false);
  for (uint32_t i = 0; i < one->decisions.count; i++)
    mark_decision(mask, &exported_decisions_of(exported, one)[i]);
}

/* Keeps the elements of a function's range that are not excluded, from index
 * `end` of their array on. */
#define KEEP(all, range, end)                           \
  do {                                                  \
    uint32_t to = (end);                                \
    for (uint32_t k = 0; k < (range).count; k++)        \
      if (!(all)[(range).begin + k].excluded)           \
        (all)[(end)++] = (all)[(range).begin + k];      \
    (range) = (struct slice){to, (end) - to};           \
  } while (0)

static void drop_marked(struct exported *exported) {
  struct exported_function *list = exported_functions(exported);
  struct exported_region *regions = exported_regions(exported);
  struct exported_branch *branches = exported_branches(exported);
  struct exported_decision *decisions = exported_decisions(exported);
  uint32_t ends[3] = {0};
  size_t kept = 0;
  for (size_t i = 0; i < exported_function_count(exported); i++) {
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
  exported_settle(exported);
}

const char *mask_apply(struct exclusions *set, struct exported *exported) {
  size_t names = exported->name_count, files = exported->files.size;
  struct mask mask = {.set = set,
                      .exported = exported,
                      .sources = need(calloc(names + 1, sizeof *mask.sources)),
                      .gone = need(malloc(files + 1))};
  for (size_t i = 0; i < names; i++) {
    const struct excluded_source *source =
        exclusions_source(set, exported->names[i]);
    mask.sources[i] = source && source->range_count ? source : NULL;
  }
  for (size_t i = 0; i < exported_function_count(exported); i++) {
    struct exported_function *one = &exported_functions(exported)[i];
    bool any = false;
    for (uint32_t k = 0; k < one->files.count; k++)
      any |= mask.sources[exported_files_of(exported, one)[k]] != NULL;
    if (any)
      mark_function(&mask, one);
  }
  drop_marked(exported);
  free(mask.sources);
  free(mask.gone);
  return mask.steps <= STEPS_MOST ? NULL : mapping_damaged;
}
