/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file finds decisions that MC/DC does not measure. The mapping does not
 * name operators. But the right operand of && or || is a region with its own
 * counter, which is used only inside the operand. Other conditions do not have
 * their own counter: a condition of `if`, `?:` or a loop runs as often as the
 * code around it, or as often as a sum of counters. So if a right operand is a
 * condition outside of all measured decisions, clang left out a decision.
 */
#include "mcdc.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/buffer.h"
#include "../../base/need.h"

/* STEPS_MOST limits the time for a damaged mapping, which could take hours. */
enum { BRACKETS_MOST = 7, OPERATOR_MOST = 6 };
#define STEPS_MOST (UINT64_C(1) << 32)

/* A region whose count is a counter, not an expression. */
struct counter_region {
  uint64_t counter;
  size_t region;
};

/* The function whose mapping is searched. */
struct unmeasured_scan {
  struct mapping *mapping;
  const struct scores_summary *summary; /* the sources of the report, see
                                           unmeasured_append_elf */
  struct counter_region *uses;          /* regions with a counter, by counter */
  size_t use_count;
  /* For each file of the function, the expansion that leads to the file. NULL
   * stands for the function's own file. */
  const struct region **sites;
  uint64_t steps;
};

static bool region_contains(const struct region *outer,
                            const struct region *inner) {
  return position_sort_key(outer->begin) <= position_sort_key(inner->begin) &&
         position_sort_key(inner->end) <= position_sort_key(outer->end);
}

/* Returns whether a region, or the expansion that contains it, is inside
 * another region. */
static bool is_region_inside(const struct unmeasured_scan *scan,
                             const struct region *inner,
                             const struct region *outer) {
  for (unsigned i = 0; inner && i < NESTED_MOST; i++) {
    if (inner->file == outer->file)
      return region_contains(outer, inner);
    inner = scan->sites[inner->file];
  }
  return false;
}

/* ---- operands ---- */

static bool is_counter_but_first(uint64_t counter) {
  return counter % 4 == COUNTER_PLAIN && counter / 4;
}

static bool is_counter_only_inside(struct unmeasured_scan *scan,
                                   uint64_t counter,
                                   const struct region *region) {
  size_t at = search_from(scan->uses, scan->use_count, counter, counter);
  if (!is_counter_but_first(counter))
    return false;
  for (; at < scan->use_count && scan->uses[at].counter == counter; at++) {
    scan->steps++;
    if (!is_region_inside(scan, &scan->mapping->regions[scan->uses[at].region],
                          region))
      return false;
  }
  return true;
}

/* Returns the counter that says how often a condition is evaluated. The counter
 * is known if one outcome is this counter minus the other outcome, or if one
 * outcome is always 0. Otherwise returns 0. */
static uint64_t find_evaluation_counter(const struct unmeasured_scan *scan,
                                        const struct region *branch) {
  const struct mapping *mapping = scan->mapping;
  for (unsigned i = 0; i < 2; i++) {
    uint64_t rest = i ? branch->other : branch->counter;
    uint64_t taken = i ? branch->counter : branch->other;
    if (rest % 4 != COUNTER_LESS)
      continue;
    const struct counter_expression *less = &mapping->expressions[rest / 4];
    if (taken == COUNTER_ZERO || less->right == taken)
      return less->left;
  }
  return COUNTER_ZERO;
}

/* Returns whether a condition with its own counter has a left operand. The
 * operand is a condition that has the counter as an outcome, or code before the
 * counter's region that ends in a condition. The condition of do ... while does
 * not have a left operand, even if a switch in the body gives it its own
 * counter. */
static bool has_left_operand(struct unmeasured_scan *scan,
                             const struct region *right, uint64_t counter) {
  const struct mapping *mapping = scan->mapping;
  const struct region *last = NULL;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    bool branch =
        region->kind == REGION_BRANCH || region->kind == REGION_MCDC_BRANCH;
    scan->steps++;
    if (branch && (region->counter == counter || region->other == counter))
      return true;
    if ((branch || region->kind == REGION_CODE ||
         region->kind == REGION_EXPANSION) &&
        region->file == right->file &&
        position_sort_key(region->end) <= position_sort_key(right->begin) &&
        (!last ||
         position_sort_key(region->end) > position_sort_key(last->end)))
      last = region;
  }
  for (size_t i = 0; last && i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    scan->steps++;
    if (region->kind == REGION_BRANCH && region->file == last->file &&
        region->end.line == last->end.line &&
        region->end.column <= last->end.column &&
        region->end.column + BRACKETS_MOST >= last->end.column)
      return true;
  }
  return !last || last->kind == REGION_EXPANSION;
}

static bool is_right_operand(struct unmeasured_scan *scan,
                             const struct region *branch) {
  const struct mapping *mapping = scan->mapping;
  uint64_t runs = find_evaluation_counter(scan, branch);
  if (runs)
    return is_counter_only_inside(scan, runs, branch) &&
           has_left_operand(scan, branch, runs);
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    scan->steps++;
    if (region->kind == REGION_CODE && region->file == branch->file &&
        position_sort_key(region->begin) == position_sort_key(branch->begin) &&
        position_sort_key(region->end) == position_sort_key(branch->end) &&
        is_counter_only_inside(scan, region->counter, branch) &&
        has_left_operand(scan, branch, region->counter))
      return true;
  }
  return false;
}

/* ---- where a decision begins ---- */

/* Returns the position where a region begins. If a region begins with a macro,
 * the mapping has the end of the macro's name instead. */
static struct source_position find_region_begin(struct unmeasured_scan *scan,
                                                const struct region *region) {
  const struct mapping *mapping = scan->mapping;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *site = &mapping->regions[i];
    scan->steps++;
    if (site->kind == REGION_EXPANSION && site->file == region->file &&
        position_sort_key(site->end) == position_sort_key(region->begin))
      return site->begin;
  }
  return region->begin;
}

enum left_operand_result { LEFT_FOUND, LEFT_NONE, LEFT_STATEMENT };

/* Returns whether only an operator can stand between two regions. Between a
 * condition and a statement there is a bracket, and the gap region begins after
 * that bracket. */
static bool is_operator_between(const struct region *left,
                                const struct region *gap,
                                const struct region *right) {
  if (gap && position_sort_key(gap->begin) != position_sort_key(left->end))
    return false;
  return left->kind == REGION_EXPANSION ||
         left->end.line != right->begin.line ||
         right->begin.column - left->end.column <= OPERATOR_MOST;
}

/* Extends a decision from its right operand to its left operand. The left
 * operand is the longest of the regions that end last before the right operand.
 * LEFT_STATEMENT means that this region is a statement, not an operand. */
static enum left_operand_result
extend_decision_left(struct unmeasured_scan *scan, struct region *decision) {
  const struct region *left = NULL, *gap = NULL;
  for (size_t i = 0; i < scan->mapping->region_count; i++) {
    const struct region *region = &scan->mapping->regions[i];
    scan->steps++;
    if (region->file != decision->file ||
        position_sort_key(region->end) > position_sort_key(decision->begin))
      continue;
    if (region->kind == REGION_GAP &&
        position_sort_key(region->end) == position_sort_key(decision->begin))
      gap = region;
    if ((region->kind == REGION_CODE || region->kind == REGION_EXPANSION) &&
        (!left ||
         position_sort_key(region->end) > position_sort_key(left->end) ||
         (position_sort_key(region->end) == position_sort_key(left->end) &&
          position_sort_key(region->begin) < position_sort_key(left->begin))))
      left = region;
  }
  if (decision->kind != REGION_BRANCH && left &&
      !is_operator_between(left, gap, decision))
    return LEFT_STATEMENT;
  if (left)
    decision->begin = find_region_begin(scan, left);
  return left ? LEFT_FOUND : LEFT_NONE;
}

/* Returns whether the region `outer` begins with the decision `inner`, apart
 * from brackets and ! before it. */
static bool begins_with_decision(const struct region *outer,
                                 const struct region *inner) {
  return outer->file == inner->file && region_contains(outer, inner) &&
         outer->begin.line == inner->begin.line &&
         inner->begin.column - outer->begin.column <= BRACKETS_MOST;
}

/* If a decision begins another operator's right operand, extends the decision
 * to that operand. Returns whether the decision was extended. */
static bool extend_decision_outward(struct unmeasured_scan *scan,
                                    struct region *decision) {
  const struct region *found = NULL;
  for (size_t i = 0; i < scan->mapping->region_count; i++) {
    const struct region *region = &scan->mapping->regions[i];
    scan->steps++;
    if (region->kind == REGION_CODE && begins_with_decision(region, decision) &&
        is_counter_only_inside(scan, region->counter, region) &&
        (!found || region_contains(found, region)))
      found = region;
  }
  if (found)
    *decision = *found;
  return found;
}

/* If a decision is in a macro, moves it to the use of the macro. Returns
 * whether the decision was in a macro. */
static bool move_to_macro_use(const struct unmeasured_scan *scan,
                              struct region *decision) {
  const struct region *site = scan->sites[decision->file];
  if (site)
    *decision = *site;
  return site;
}

/* Returns the complete decision that contains this operand, at the place
 * outside of all macros. */
static struct region find_complete_decision(struct unmeasured_scan *scan,
                                            const struct region *branch) {
  struct region decision = *branch, known = *branch;
  bool operand = true;
  for (unsigned i = 0; i < NESTED_MOST; i++) {
    enum left_operand_result left =
        operand ? extend_decision_left(scan, &decision) : LEFT_FOUND;
    if (left == LEFT_STATEMENT)
      break;
    operand = left == LEFT_NONE;
    if (!operand) {
      known = decision;
      known.kind = REGION_CODE;
      operand = extend_decision_outward(scan, &decision);
      if (operand)
        continue;
    }
    if (!move_to_macro_use(scan, &decision))
      break;
  }
  for (unsigned i = 0; i < NESTED_MOST; i++)
    if (!move_to_macro_use(scan, &known))
      break;
  return known;
}

/* ---- a function ---- */

ORDER_BY(by_counter, struct counter_region, x->counter, x->region);

static void init_unmeasured_scan(struct unmeasured_scan *scan) {
  const struct mapping *mapping = scan->mapping;
  scan->uses =
      need_memory(malloc((mapping->region_count + 1) * sizeof *scan->uses));
  scan->sites =
      need_memory(calloc(mapping->file_count + 1, sizeof *scan->sites));
  scan->use_count = 0;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    if (region->kind == REGION_EXPANSION && region->expanded != region->file)
      scan->sites[region->expanded] = region;
    if (region->kind == REGION_CODE && is_counter_but_first(region->counter))
      scan->uses[scan->use_count++] =
          (struct counter_region){region->counter, i};
  }
  qsort(scan->uses, scan->use_count, sizeof *scan->uses, by_counter);
}

void unmeasured_append(struct buffer *list, char *file,
                       struct source_position begin,
                       struct source_position end) {
  const struct unmeasured_decision found = {file, begin, end};
  need_append(list, &found, sizeof found);
}

static const char *append_if_in_report(struct buffer *list,
                                       const struct unmeasured_scan *scan,
                                       const struct region *decision) {
  char *file;
  const char *error = mapping_file_name(scan->mapping, decision->file, &file);
  if (error)
    return error;
  const struct scores_summary *all = scan->summary;
  size_t at = all ? search_text(all->rows, all->count, name, file) : 0;
  if (all && (at == all->count || strcmp(all->rows[at].name, file) != 0)) {
    free(file);
    return NULL;
  }
  if (*file == '/')
    paths_tidy(file);
  unmeasured_append(list, file, decision->begin, decision->end);
  return NULL;
}

static const char *append_function_decisions(struct buffer *list,
                                             struct unmeasured_scan *scan) {
  struct mapping *mapping = scan->mapping;
  const char *error = NULL;
  init_unmeasured_scan(scan);
  for (size_t i = 0; !error && i < mapping->region_count; i++) {
    const struct region *branch = &mapping->regions[i];
    if (branch->kind == REGION_BRANCH && is_right_operand(scan, branch)) {
      struct region decision = find_complete_decision(scan, branch);
      error = append_if_in_report(list, scan, &decision);
    }
    if (scan->steps > STEPS_MOST)
      error = mapping_damaged;
  }
  free(scan->uses);
  free(scan->sites);
  return error;
}

const char *unmeasured_append_elf(struct buffer *list, const struct elf *elf,
                                  const struct scores_summary *summary) {
  struct mapping mapping;
  struct unmeasured_scan scan = {.mapping = &mapping, .summary = summary};
  list->limit = UNMEASURED_MOST;
  const char *error = mapping_open(&mapping, elf);
  while (!error && mapping_next_function(&mapping, &error))
    error = mapping.mcdc ? append_function_decisions(list, &scan) : NULL;
  mapping_close(&mapping);
  return error;
}

/* ---- the list ---- */

size_t unmeasured_count(const struct buffer *list) {
  return list->size / sizeof(struct unmeasured_decision);
}

const struct unmeasured_decision *unmeasured_list(const struct buffer *list) {
  return (const struct unmeasured_decision *)list->data;
}

/* Orders decisions by position; a decision precedes the decisions inside it.
 * unmeasured_merge joins decisions that overlap. */
static int compare_unmeasured_decisions(const void *a, const void *b) {
  const struct unmeasured_decision *x = a, *y = b;
  int names = strcmp(x->file, y->file);
  if (names)
    return names;
  if (position_sort_key(x->begin) != position_sort_key(y->begin))
    return position_sort_key(x->begin) < position_sort_key(y->begin) ? -1 : 1;
  return (position_sort_key(x->end) < position_sort_key(y->end)) -
         (position_sort_key(x->end) > position_sort_key(y->end));
}

void unmeasured_merge(struct buffer *list) {
  struct unmeasured_decision *all = (struct unmeasured_decision *)list->data;
  size_t count = unmeasured_count(list), kept = 0;
  if (count)
    qsort(all, count, sizeof *all, compare_unmeasured_decisions);
  for (size_t i = 0; i < count; i++) {
    struct unmeasured_decision *last = kept ? &all[kept - 1] : NULL;
    if (!last || strcmp(last->file, all[i].file) != 0 ||
        position_sort_key(all[i].begin) >= position_sort_key(last->end)) {
      all[kept++] = all[i];
      continue;
    }
    if (position_sort_key(all[i].end) > position_sort_key(last->end))
      last->end = all[i].end;
    free(all[i].file);
  }
  list->size = kept * sizeof *all;
}

void unmeasured_free(struct buffer *list) {
  for (size_t i = 0; i < unmeasured_count(list); i++)
    free(unmeasured_list(list)[i].file);
  buffer_free(list);
}
