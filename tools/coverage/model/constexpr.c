/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file repairs an error in clang's mapping. In an instantiation, the
 * branch of an `if constexpr` that is not compiled is a skipped region, and a
 * code region ends or begins next to it. If the other branch jumps, clang
 * begins a gap after the statement but no region at the end of the gap. The
 * code there then has the surrounding region's count instead of the gap's
 * count, and all counts that clang computes from it are too high, too.
 *
 * The same happens to code after a computed goto or an `asm goto`, which clang
 * does not take for jumps. These are found in the source.
 */
#include "evaluation.h"

#include "../../base/need.h"

static bool is_nonempty_code(const struct region *region) {
  return region->kind == REGION_CODE && begin_of(region) < end_of(region);
}

static bool is_code_after_skipped(const struct file_regions *all,
                                  const struct region *region) {
  if (!is_nonempty_code(region))
    return false;
  for (const struct region *at = all->list; at != all->end; at++)
    if (at->kind == REGION_SKIPPED && end_of(at) == begin_of(region))
      return true;
  return false;
}

/* Returns whether a position is the end of a region, or of a skipped region
 * that follows it directly. */
static bool region_ends_at_place(const struct file_regions *all,
                                 const struct region *region, uint64_t place) {
  /* The region does not include the semicolon. */
  if (place - end_of(region) < 2)
    return true;
  for (const struct region *at = all->list; at != all->end; at++)
    if (at->kind == REGION_SKIPPED && place - end_of(at) < 2 &&
        begin_of(at) == end_of(region))
      return true;
  return false;
}

static bool is_gap_after_constexpr(const struct file_regions *all,
                                   const struct region *gap,
                                   const struct region *nearest) {
  uint64_t place = begin_of(gap);
  for (const struct region *at = all->list; at != all->end; at++)
    if (at != nearest && begin_of(at) > begin_of(nearest) &&
        end_of(at) <= place && is_code_after_skipped(all, at) &&
        region_ends_at_place(all, at, place))
      return true;
  return false;
}

/* ---- counts that are too high ---- */

enum { AROUND_MOST = 16 };

/* A gap, or a jump as an empty gap. */
struct lost_gap {
  struct region gap;
  /* The code regions around the gap, and the last one, which is innermost. */
  const struct region *around[AROUND_MOST], *nearest;
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

static uint64_t find_condition_counter(const struct evaluation *evaluation,
                                       const struct region *branch) {
  const struct region *around = regions_find_code_around(
      evaluation_find_regions(evaluation, branch->file), begin_of(branch));
  return around ? around->counter : COUNTER_ZERO;
}

/* Returns whether the code at a position before the gap also runs after the
 * code around the gap, as the head of a loop does. */
static bool is_loop_head(const struct mapping *mapping,
                         const struct lost_gap *lost, uint64_t place,
                         uint64_t counter) {
  for (size_t i = 0; i < lost->around_count; i++)
    if (begin_of(lost->around[i]) > place &&
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
        begin_of(at) < end_of(&lost->gap) &&
        at->counter == first * 4 + COUNTER_PLAIN)
      return false;
  }
  return true;
}

/* Returns whether the counters are bytes. The code that a byte counts sets the
 * byte itself, but code that is not compiled does not have a byte. */
static bool has_byte_counters(const struct evaluation *evaluation) {
  const struct profile *profile = evaluation->from->profile;
  return profile && profile->flags & PROFILE_BYTES;
}

/* Corrects *count, the count of a region at `place`, for one lost gap. */
static void correct_count(struct evaluation *evaluation,
                          const struct lost_gap *lost, uint64_t place,
                          const struct region *region,
                          struct corrected_count *count) {
  uint64_t counter = count->counter;
  bool doubted,
      inside = place >= end_of(&lost->gap) && place < end_of(lost->nearest);
  if (counter % 4 == COUNTER_ZERO || !lost->extra)
    return;
  if (has_byte_counters(evaluation)) {
    if (!inside || lost->after.value ||
        !evaluation_use_steps(evaluation, evaluation->mapping.region_count))
      return;
    if (counter == lost->nearest->counter)
      *count = lost->after;
    else if (count->value && (lost->gap.kind == REGION_GAP ||
                              !is_count_independent(evaluation, lost, counter)))
      count->cause = CAUSE_CONSTEXPR;
    return;
  }
  if (place < end_of(&lost->gap)) {
    if (region_is_branch(region))
      counter = find_condition_counter(evaluation, region);
    doubted = is_loop_head(&evaluation->mapping, lost, place, counter);
  } else if (!inside) {
    doubted =
        evaluation_use_steps(evaluation, evaluation->mapping.region_count) &&
        !is_count_independent(evaluation, lost, counter);
  } else {
    uint64_t raw = evaluation_counter_value(evaluation, counter);
    if (counts_find_first_counter(evaluation, counter) !=
        counts_find_first_counter(evaluation, lost->nearest->counter))
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
    unsigned depth = 0; /* In a damaged mapping, expansions may be a cycle. */
    while (at && at->file != list[i].gap.file)
      at = depth++ < NESTED_MOST
               ? evaluation_find_expansion(evaluation, at->file)
               : NULL;
    if (at && evaluation_use_steps(evaluation, AROUND_MOST))
      correct_count(evaluation, &list[i], begin_of(at), region, &count);
  }
  count.value = count.cause ? 0 : count.value;
  return count;
}

static void append_lost_gap(struct evaluation *evaluation,
                            const struct region *gap,
                            const struct region *nearest,
                            struct corrected_count after) {
  uint64_t raw = evaluation_counter_value(evaluation, nearest->counter);
  struct lost_gap made = {.gap = *gap,
                          .nearest = nearest,
                          .after = after,
                          .extra = raw > after.value ? raw - after.value : 0};
  uint64_t begin = begin_of(gap);
  for (const struct region *at = evaluation->mapping.regions; at <= nearest;
       at++)
    if (at->file == gap->file && is_nonempty_code(at) && begin_of(at) < begin &&
        end_of(at) > end_of(gap) && made.around_count < AROUND_MOST)
      made.around[made.around_count++] = at;
  need_append(&evaluation->lost, &made, sizeof made);
}

static void find_lost_gaps_in_file(struct evaluation *evaluation,
                                   struct file_regions all) {
  bool any = false;
  for (const struct region *at = all.list; at != all.end && !any; at++)
    any = is_code_after_skipped(&all, at);
  for (const struct region *gap = all.list; gap != all.end && any; gap++) {
    uint64_t end = end_of(gap);
    if (gap->kind != REGION_GAP ||
        !evaluation_use_steps(evaluation, (uint64_t)(all.end - all.list) * 4))
      continue;
    const struct region *nearest = regions_find_code_around(all, end);
    if (!nearest || begin_of(nearest) == end ||
        !is_gap_after_constexpr(&all, gap, nearest))
      continue;
    append_lost_gap(evaluation, gap, nearest,
                    constexpr_find_count(evaluation, gap, gap->counter));
  }
}

/* Lists a jump in a file, and the uses of macros around it, after which code
 * runs only if the jump was not reached. An `asm goto` may also go on. */
static void append_jump(struct evaluation *evaluation, uint32_t file,
                        const struct source_jump *jump) {
  const struct region *nearest, *site;
  uint64_t place = jump->place;
  uint64_t jumped = UINT64_MAX; /* how often the jump was reached */
  while ((nearest = regions_find_code_around(
              evaluation_find_regions(evaluation, file), place))) {
    struct region gap = {.file = file};
    gap.begin = gap.end =
        (struct source_position){(uint32_t)(place >> 32), (uint32_t)place};
    struct corrected_count after =
        constexpr_find_count(evaluation, &gap, nearest->counter);
    bool first = jumped == UINT64_MAX;
    jumped = first ? after.value : jumped;
    /* A byte does not say how often the other ways were taken. */
    if (after.value && jumped &&
        (jump->assembly || (!first && has_byte_counters(evaluation))))
      after.cause = CAUSE_CONSTEXPR;
    after.value -= jumped < after.value ? jumped : after.value;
    append_lost_gap(evaluation, &gap, nearest, after);
    site = evaluation_find_expansion(evaluation, file);
    if (!site ||
        !evaluation_use_steps(evaluation, evaluation->mapping.region_count))
      return;
    file = site->file;
    place = end_of(site);
  }
}

void constexpr_find_lost_gaps(struct evaluation *evaluation) {
  const struct region *list = evaluation->mapping.regions;
  const struct region *end = list + evaluation->mapping.region_count;
  evaluation->lost.size = 0;
  while (list != end && !evaluation->out->as_llvm_cov) {
    uint32_t file = list->file;
    struct file_regions all = evaluation_find_regions(evaluation, file);
    const struct source_tokens *tokens =
        evaluation_find_tokens(evaluation, file);
    const struct source_jump *jumps =
        tokens ? (void *)tokens->jumps.data : NULL;
    find_lost_gaps_in_file(evaluation, all);
    for (size_t i = 0; jumps && i < tokens->jumps.size / sizeof *jumps; i++)
      append_jump(evaluation, file, &jumps[i]);
    list = all.end;
  }
}

void constexpr_add_regions(struct evaluation *evaluation, size_t first) {
  const struct region *body = &evaluation->mapping.regions[first];
  const struct lost_gap *list = (const void *)evaluation->lost.data;
  for (size_t i = 0; i < evaluation->lost.size / sizeof *list; i++) {
    const struct lost_gap *lost = &list[i];
    if (lost->gap.file != body->file)
      continue;
    evaluation_add_code(evaluation, body->file, end_of(&lost->gap),
                        end_of(lost->nearest), lost->after);
    if (lost->extra)
      evaluation_add_code(evaluation, body->file, end_of(lost->nearest),
                          end_of(body),
                          (struct corrected_count){.cause = CAUSE_CONSTEXPR});
  }
}
