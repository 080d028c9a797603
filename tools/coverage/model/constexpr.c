/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file repairs an error in clang's mapping. In an instantiation, the
 * branch of an `if constexpr` that is not compiled is a skipped region, and a
 * code region ends or begins next to it. If the other branch jumps, clang
 * begins a gap after the statement but no region at the end of the gap. The
 * code there then has the surrounding region's count instead of the gap's
 * count, and all counts that clang computes from it are too high, too.
 *
 * The same happens to code after a computed goto, which clang does not take for
 * a jump. Such a goto is found in the source.
 */
#include "evaluation.h"

#include "../../base/need.h"

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

/* Returns whether the gap follows an `if constexpr`. */
static bool is_gap_after_constexpr(const struct file_regions *all,
                                   const struct region *gap,
                                   const struct region *outer) {
  uint64_t place = position_sort_key(gap->begin);
  for (const struct region *at = all->list; at != all->end; at++)
    if (at != outer &&
        position_sort_key(at->begin) > position_sort_key(outer->begin) &&
        position_sort_key(at->end) <= place && is_code_after_skipped(all, at) &&
        region_ends_at_place(all, at, place))
      return true;
  return false;
}

/* ---- counts that are too high ---- */

enum { AROUND_MOST = 16 };

/* A gap, or a computed goto as an empty gap. */
struct lost_gap {
  struct region gap;
  /* The code regions around the gap, and the last one, which is innermost. */
  const struct region *around[AROUND_MOST], *outer;
  size_t around_count;
  struct corrected_count after; /* true count of the code after the gap */
  uint64_t extra; /* number by which counts after the gap are too high */
};

/* Returns whether the terms of a counter contain the plain counter `wanted`
 * with the sign of `kind`, COUNTER_SUM or COUNTER_LESS. In clang's expressions,
 * only the left operand is an expression. */
static bool contains_term(const struct mapping *mapping, uint64_t counter,
                          uint64_t wanted, uint64_t kind) {
  while (counter % 4 >= COUNTER_LESS) {
    const struct counter_expression *one = &mapping->expressions[counter / 4];
    if (one->right == wanted && counter % 4 == kind)
      return true;
    counter = one->left;
  }
  return counter == wanted && kind == COUNTER_SUM;
}

/* Returns the counter of the innermost region around a branch: its
 * condition. */
static uint64_t find_condition_counter(const struct mapping *mapping,
                                       const struct region *branch) {
  uint64_t place = position_sort_key(branch->begin), counter = COUNTER_ZERO;
  for (const struct region *at = mapping->regions; at != branch; at++)
    if (at->kind == REGION_CODE && at->file == branch->file &&
        position_sort_key(at->begin) <= place &&
        position_sort_key(at->end) > place)
      counter = at->counter;
  return counter;
}

/* Returns whether the code at a position before the gap also runs after the
 * code around the gap, as the head of a loop does. */
static bool is_loop_head(const struct mapping *mapping,
                         const struct lost_gap *lost, uint64_t place,
                         uint64_t counter) {
  for (size_t i = 0; i < lost->around_count; i++)
    if (position_sort_key(lost->around[i]->begin) > place &&
        contains_term(mapping, counter, lost->around[i]->counter, COUNTER_SUM))
      return true;
  return false;
}

/* Returns whether the count of code after the code around the gap is right:
 * code with a counter of its own, or code that another branch leads to. */
static bool is_count_independent(const struct evaluation *evaluation,
                                 const struct lost_gap *lost,
                                 uint64_t counter) {
  const struct mapping *mapping = &evaluation->mapping;
  uint64_t first = counts_find_first_counter(evaluation, counter);
  /* The outermost region is the function. */
  for (size_t i = 1; i < lost->around_count; i++)
    if (contains_term(mapping, counter, lost->around[i]->counter, COUNTER_LESS))
      return true;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *at = &mapping->regions[i];
    if (at->file == lost->gap.file && is_nonempty_code(at) &&
        position_sort_key(at->begin) < position_sort_key(lost->gap.end) &&
        at->counter == first * 4 + COUNTER_PLAIN)
      return false;
  }
  return true;
}

/* Returns whether the counters are bytes. These are in the code that they
 * count, but code that is not compiled has none. */
static bool has_byte_counters(const struct evaluation *evaluation) {
  const struct profile *profile = evaluation->from->profile;
  return profile && profile->flags & PROFILE_BYTES;
}

/* Corrects the count of a region at a position of the file with the gap. */
static void correct_count(struct evaluation *evaluation,
                          const struct lost_gap *lost, uint64_t place,
                          const struct region *region,
                          struct corrected_count *count) {
  uint64_t counter = count->counter;
  bool doubted, inside = place >= position_sort_key(lost->gap.end) &&
                         place < position_sort_key(lost->outer->end);
  if (counter % 4 == COUNTER_ZERO || !lost->extra)
    return;
  if (has_byte_counters(evaluation)) {
    if (!inside || lost->after.value ||
        !evaluation_use_steps(evaluation, evaluation->mapping.region_count))
      return;
    if (counter == lost->outer->counter)
      *count = lost->after;
    else if (count->value && (lost->gap.kind == REGION_GAP ||
                              !is_count_independent(evaluation, lost, counter)))
      count->cause = CAUSE_CONSTEXPR;
    return;
  }
  if (place < position_sort_key(lost->gap.end)) {
    if (region_is_branch(region))
      counter = find_condition_counter(&evaluation->mapping, region);
    doubted = is_loop_head(&evaluation->mapping, lost, place, counter);
  } else if (!inside) {
    doubted =
        evaluation_use_steps(evaluation, evaluation->mapping.region_count) &&
        !is_count_independent(evaluation, lost, counter);
  } else {
    uint64_t raw = evaluation_counter_value(evaluation, counter);
    if (counts_find_first_counter(evaluation, counter) !=
        counts_find_first_counter(evaluation, lost->outer->counter))
      return;
    doubted = lost->after.cause || raw < lost->extra;
    if (!doubted && raw - lost->extra < count->value)
      count->value = raw - lost->extra;
  }
  if (doubted && !count->cause)
    count->cause = CAUSE_CONSTEXPR;
}

struct corrected_count constexpr_find_count(struct evaluation *evaluation,
                                            const struct region *region,
                                            uint64_t counter) {
  struct corrected_count count = {.counter = counter};
  const struct lost_gap *list = (const void *)evaluation->lost.data;
  count.value = counts_find_value_or_cause(evaluation, counter, &count.cause);
  for (size_t i = 0; i < evaluation->lost.size / sizeof *list; i++) {
    const struct region *at = region;
    while (at && at->file != list[i].gap.file)
      at = evaluation_find_expansion(evaluation, at->file);
    if (at && evaluation_use_steps(evaluation, AROUND_MOST))
      correct_count(evaluation, &list[i], position_sort_key(at->begin), region,
                    &count);
  }
  count.value = count.cause ? 0 : count.value;
  return count;
}

static void append_lost_gap(struct evaluation *evaluation,
                            const struct region *gap,
                            const struct region *outer,
                            struct corrected_count after) {
  uint64_t raw = evaluation_counter_value(evaluation, outer->counter);
  struct lost_gap made = {.gap = *gap,
                          .outer = outer,
                          .after = after,
                          .extra = raw > after.value ? raw - after.value : 0};
  uint64_t begin = position_sort_key(gap->begin);
  for (const struct region *at = evaluation->mapping.regions; at <= outer; at++)
    if (at->file == gap->file && is_nonempty_code(at) &&
        position_sort_key(at->begin) < begin &&
        position_sort_key(at->end) > position_sort_key(gap->end) &&
        made.around_count < AROUND_MOST)
      made.around[made.around_count++] = at;
  need_append(&evaluation->lost, &made, sizeof made);
}

static void find_lost_gaps_in_file(const struct file_regions *all) {
  struct evaluation *evaluation = all->evaluation;
  bool any = false;
  for (const struct region *at = all->list; at != all->end && !any; at++)
    any = is_code_after_skipped(all, at);
  for (const struct region *gap = all->list; gap != all->end && any; gap++) {
    if (gap->kind != REGION_GAP ||
        !evaluation_use_steps(evaluation, (uint64_t)(all->end - all->list) * 4))
      continue;
    const struct region *outer = find_code_around_gap(all, gap);
    if (!outer || !is_gap_after_constexpr(all, gap, outer))
      continue;
    append_lost_gap(evaluation, gap, outer,
                    constexpr_find_count(evaluation, gap, gap->counter));
  }
}

static const struct region *find_code_around_place(const struct region *list,
                                                   const struct region *end,
                                                   uint32_t file,
                                                   uint64_t place) {
  const struct region *found = NULL;
  for (; list != end; list++)
    if (list->file == file && is_nonempty_code(list) &&
        position_sort_key(list->begin) < place &&
        position_sort_key(list->end) > place)
      found = list;
  return found;
}

/* Lists a computed goto of a file, and the uses of macros around it, after
 * which code runs only if the goto was not reached. */
static void append_computed_goto(struct evaluation *evaluation, uint32_t file,
                                 uint64_t place) {
  const struct mapping *mapping = &evaluation->mapping;
  const struct region *end = mapping->regions + mapping->region_count;
  const struct region *outer, *site;
  uint64_t jumped = UINT64_MAX; /* how often the goto was reached */
  while ((outer = find_code_around_place(mapping->regions, end, file, place))) {
    struct region gap = {.file = file};
    gap.begin = gap.end =
        (struct source_position){(uint32_t)(place >> 32), (uint32_t)place};
    struct corrected_count after =
        constexpr_find_count(evaluation, &gap, outer->counter);
    bool first = jumped == UINT64_MAX;
    jumped = first ? after.value : jumped;
    /* A byte does not say how often the other ways were taken. */
    if (after.value && !first && jumped && has_byte_counters(evaluation))
      after.cause = CAUSE_CONSTEXPR;
    after.value -= jumped < after.value ? jumped : after.value;
    append_lost_gap(evaluation, &gap, outer, after);
    site = evaluation_find_expansion(evaluation, file);
    if (!site || !evaluation_use_steps(evaluation, mapping->region_count))
      return;
    file = site->file;
    place = position_sort_key(site->end);
  }
}

/* Finds the computed gotos in one file of the function. */
static void find_computed_gotos(struct evaluation *evaluation,
                                const struct region *first,
                                const struct region *end) {
  const struct source_tokens *tokens =
      evaluation_find_tokens(evaluation, first->file);
  const uint64_t *list = tokens ? (void *)tokens->gotos.data : NULL;
  for (size_t i = 0; list && i < tokens->gotos.size / sizeof *list; i++)
    if (find_code_around_place(first, end, first->file, list[i]))
      append_computed_goto(evaluation, first->file, list[i]);
}

void constexpr_find_lost_gaps(struct evaluation *evaluation) {
  const struct region *list = evaluation->mapping.regions;
  const struct region *end = list + evaluation->mapping.region_count, *last;
  evaluation->lost.size = 0;
  for (; list != end && !evaluation->out->as_llvm_cov; list = last) {
    for (last = list; last != end && last->file == list->file;)
      last++;
    find_lost_gaps_in_file(&(struct file_regions){evaluation, list, last});
    find_computed_gotos(evaluation, list, last);
  }
}

/* Adds code with one count, which ends where another region ends. */
static void add_code(struct evaluation *evaluation,
                     struct source_position begin, const struct region *around,
                     struct corrected_count count) {
  const struct model_region made = {
      .span = {begin.line, begin.column, around->end.line, around->end.column},
      .count = count.value,
      .file = around->file,
      .kind = MODEL_CODE,
      .cause = count.cause & 63u,
      .added = 1};
  if (position_sort_key(begin) < position_sort_key(around->end))
    evaluation_append(evaluation, &evaluation->out->regions, &made,
                      sizeof made);
}

void constexpr_add_regions(struct evaluation *evaluation, size_t first) {
  const struct region *body = &evaluation->mapping.regions[first];
  const struct lost_gap *list = (const void *)evaluation->lost.data;
  for (size_t i = 0; i < evaluation->lost.size / sizeof *list; i++) {
    const struct lost_gap *lost = &list[i];
    if (lost->gap.file != body->file)
      continue;
    add_code(evaluation, lost->gap.end, lost->outer, lost->after);
    if (lost->extra)
      add_code(evaluation, lost->outer->end, body,
               (struct corrected_count){.cause = CAUSE_CONSTEXPR});
  }
}
