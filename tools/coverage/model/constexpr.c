/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file repairs an error in clang's mapping. In an instantiation, the
 * branch of an `if constexpr` that is not compiled is a skipped region, and a
 * code region ends or begins next to it. If the other branch jumps, clang
 * begins a gap after the statement but no region at the end of the gap. The
 * code there then has the gap's count instead of the surrounding region's
 * count. In a nested statement the gap is wrong, too.
 */
#include "evaluation.h"

/* The regions of one file of the current function. */
struct file_regions {
  struct evaluation *evaluation;
  const struct region *list, *end;
};

static bool is_nonempty_code(const struct region *region) {
  return region->kind == REGION_CODE &&
         position_sort_key(region->begin) < position_sort_key(region->end);
}

static bool is_code_after_skipped(const struct file_regions *all,
                                  const struct region *region) {
  if (!is_nonempty_code(region))
    return false;
  for (const struct region *at = all->list; at != all->end; at++)
    if (at->kind == REGION_SKIPPED &&
        position_sort_key(at->end) == position_sort_key(region->begin))
      return true;
  return false;
}

/* Returns whether a position is the end of a region, or of a skipped region
 * that follows it directly. */
static bool region_ends_at_place(const struct file_regions *all,
                                 const struct region *region, uint64_t place) {
  /* The region does not include the semicolon. */
  if (place - position_sort_key(region->end) < 2)
    return true;
  for (const struct region *at = all->list; at != all->end; at++)
    if (at->kind == REGION_SKIPPED && place - position_sort_key(at->end) < 2 &&
        position_sort_key(at->begin) == position_sort_key(region->end))
      return true;
  return false;
}

/* Returns the innermost code region around a gap, or NULL if a code region
 * begins at the gap's end. */
static const struct region *find_code_around_gap(const struct file_regions *all,
                                                 const struct region *gap) {
  const struct region *outer = NULL;
  for (const struct region *at = all->list; at != all->end; at++) {
    if (!is_nonempty_code(at))
      continue;
    if (position_sort_key(at->begin) == position_sort_key(gap->end))
      return NULL;
    if (position_sort_key(at->begin) < position_sort_key(gap->begin) &&
        position_sort_key(gap->end) < position_sort_key(at->end) &&
        (!outer ||
         position_sort_key(at->begin) > position_sort_key(outer->begin)))
      outer = at;
  }
  return outer;
}

enum gap_kind { GAP_PLAIN, GAP_AFTER, GAP_NESTED };

/* Returns whether the statement before the gap is an `if constexpr` (GAP_AFTER)
 * or contains one (GAP_NESTED). */
static enum gap_kind classify_gap(const struct file_regions *all,
                                  const struct region *gap,
                                  const struct region *outer) {
  uint64_t place = position_sort_key(gap->begin), last = 0;
  enum gap_kind kind = GAP_PLAIN;
  for (const struct region *at = all->list; at != all->end; at++) {
    if (at == outer ||
        position_sort_key(at->begin) <= position_sort_key(outer->begin) ||
        position_sort_key(at->end) > place || !is_code_after_skipped(all, at))
      continue;
    if (region_ends_at_place(all, at, place))
      return GAP_AFTER;
    if (position_sort_key(at->begin) > last)
      last = position_sort_key(at->begin);
  }
  for (const struct region *at = all->list; at != all->end; at++)
    if (is_nonempty_code(at) && position_sort_key(at->end) == place &&
        position_sort_key(at->begin) < last)
      kind = GAP_NESTED;
  return kind;
}

/* Sets the counts of those regions after the gap that have the counter of the
 * surrounding region and end inside it. `made` has the right count. `out` is
 * the index of the file's first region in the model. */
static void repair_region_counts(const struct file_regions *all,
                                 const struct region *outer,
                                 const struct model_region *made, size_t out) {
  struct model_region *to = model_regions(all->evaluation->out) + out;
  for (const struct region *at = all->list; at != all->end; at++) {
    if (at->kind >= REGION_BRANCH) /* branches are in another list */
      continue;
    struct model_region *one = to++;
    if (at->kind == REGION_SKIPPED || at->counter != outer->counter ||
        position_sort_key(at->begin) < span_begin(&made->span) ||
        position_sort_key(at->end) > position_sort_key(outer->end))
      continue;
    one->count = made->count;
    one->cause = made->cause;
  }
}

void constexpr_repair_regions(struct evaluation *evaluation, size_t first,
                              size_t end, size_t out) {
  const struct region *regions = evaluation->mapping.regions;
  const struct file_regions all = {evaluation, regions + first, regions + end};
  bool any = false;
  for (const struct region *at = all.list; at != all.end && !any; at++)
    any = is_code_after_skipped(&all, at);
  for (const struct region *gap = all.list; gap != all.end && any; gap++) {
    if (gap->kind != REGION_GAP ||
        !evaluation_use_steps(evaluation, (end - first) * 4))
      continue;
    const struct region *outer = find_code_around_gap(&all, gap);
    enum gap_kind kind = outer ? classify_gap(&all, gap, outer) : GAP_PLAIN;
    if (kind == GAP_PLAIN)
      continue;
    uint32_t cause = kind == GAP_NESTED ? CAUSE_CONSTEXPR : CAUSE_NONE;
    uint64_t count =
        counts_find_value_or_cause(evaluation, gap->counter, &cause);
    const struct model_region made = {.span = {gap->end.line, gap->end.column,
                                               outer->end.line,
                                               outer->end.column},
                                      .count = cause ? 0 : count,
                                      .file = gap->file,
                                      .kind = MODEL_CODE,
                                      .cause = cause & 63u,
                                      .added = 1};
    repair_region_counts(&all, outer, &made, out);
    evaluation_append(evaluation, &evaluation->out->regions, &made,
                      sizeof made);
  }
}
