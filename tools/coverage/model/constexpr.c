/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The branch of an `if constexpr` that a form does not take is a region that
 * is skipped; a region of code ends, or begins, where it does. If the other
 * branch jumps, clang begins a gap after the statement, and no region at the
 * end of the gap: what goes on there counts as the gap does, not as the code
 * around. In a nested statement the gap is wrong, too.
 */
#include "model_inside.h"

/* The regions of one file of the function at hand. */
struct file_regions {
  struct evaluation *evaluation;
  const struct region *list, *end;
};

static bool is_code(const struct region *region) {
  return region->kind == REGION_CODE &&
         place_order(region->begin) < place_order(region->end);
}

/* Whether the region is code that begins where a skipped one ends. */
static bool is_taken(const struct file_regions *all,
                     const struct region *region) {
  if (!is_code(region))
    return false;
  for (const struct region *at = all->list; at != all->end; at++)
    if (at->kind == REGION_SKIPPED &&
        place_order(at->end) == place_order(region->begin))
      return true;
  return false;
}

/* Whether a place is the end of a region, or of a skipped one after it. */
static bool ends_at(const struct file_regions *all, const struct region *region,
                    uint64_t place) {
  /* A ; is not in the region. */
  if (place - place_order(region->end) < 2)
    return true;
  for (const struct region *at = all->list; at != all->end; at++)
    if (at->kind == REGION_SKIPPED && place - place_order(at->end) < 2 &&
        place_order(at->begin) == place_order(region->end))
      return true;
  return false;
}

/* The innermost code around a gap, if nothing begins at its end. */
static const struct region *around(const struct file_regions *all,
                                   const struct region *gap) {
  const struct region *outer = NULL;
  for (const struct region *at = all->list; at != all->end; at++) {
    if (!is_code(at))
      continue;
    if (place_order(at->begin) == place_order(gap->end))
      return NULL;
    if (place_order(at->begin) < place_order(gap->begin) &&
        place_order(gap->end) < place_order(at->end) &&
        (!outer || place_order(at->begin) > place_order(outer->begin)))
      outer = at;
  }
  return outer;
}

enum gap_kind { GAP_PLAIN, GAP_AFTER, GAP_NESTED };

/* Whether the statement before the gap is an `if constexpr`, or has one. */
static enum gap_kind kind_of(const struct file_regions *all,
                             const struct region *gap,
                             const struct region *outer) {
  uint64_t place = place_order(gap->begin), last = 0;
  enum gap_kind kind = GAP_PLAIN;
  for (const struct region *at = all->list; at != all->end; at++) {
    if (at == outer || place_order(at->begin) <= place_order(outer->begin) ||
        place_order(at->end) > place || !is_taken(all, at))
      continue;
    if (ends_at(all, at, place))
      return GAP_AFTER;
    if (place_order(at->begin) > last)
      last = place_order(at->begin);
  }
  for (const struct region *at = all->list; at != all->end; at++)
    if (is_code(at) && place_order(at->end) == place &&
        place_order(at->begin) < last)
      kind = GAP_NESTED;
  return kind;
}

/* What follows the gap, up to the end of the code around, counts as `made`
 * does: `out` are the regions of the file in the export. */
static void repair(const struct file_regions *all, const struct region *outer,
                   const struct exported_region *made, size_t out) {
  struct exported_region *to = exported_regions(all->evaluation->out) + out;
  for (const struct region *at = all->list; at != all->end; at++) {
    if (at->kind >= REGION_BRANCH) /* These are in other lists, or in none. */
      continue;
    struct exported_region *one = to++;
    if (at->kind == REGION_SKIPPED || at->counter != outer->counter ||
        place_order(at->begin) <
            place_number(made->span.line, made->span.column) ||
        place_order(at->end) > place_order(outer->end))
      continue;
    one->count = made->count;
    one->cause = made->cause;
  }
}

void constexpr_repair(struct evaluation *evaluation, size_t first, size_t end,
                      size_t out) {
  const struct region *regions = evaluation->mapping.regions;
  const struct file_regions all = {evaluation, regions + first, regions + end};
  bool any = false;
  for (const struct region *at = all.list; at != all.end && !any; at++)
    any = is_taken(&all, at);
  for (const struct region *gap = all.list; gap != all.end && any; gap++) {
    if (gap->kind != REGION_GAP ||
        !evaluation_step(evaluation, (end - first) * 4))
      continue;
    const struct region *outer = around(&all, gap);
    enum gap_kind kind = outer ? kind_of(&all, gap, outer) : GAP_PLAIN;
    if (kind == GAP_PLAIN)
      continue;
    uint32_t cause = kind == GAP_NESTED ? CAUSE_CONSTEXPR : CAUSE_NONE;
    uint64_t count = counts_of(evaluation, gap->counter, &cause);
    const struct exported_region made = {
        .span = {gap->end.line, gap->end.column, outer->end.line,
                 outer->end.column},
        .count = cause ? 0 : count,
        .file = gap->file,
        .kind = EXPORTED_CODE,
        .cause = cause & 63u,
        .added = 1};
    repair(&all, outer, &made, out);
    evaluation_put(evaluation, &evaluation->out->regions, &made, sizeof made);
  }
}
