/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file turns an MC/DC bitmap into the vectors that ran, and marks the
 * conditions with an independence pair. ../mcdc/decision.c has the rule for
 * pairs, and continues with the vectors for the pages.
 *
 * The conditions of a decision are in source order; their numbers link them to
 * a graph, in which each condition leads to another condition or to the result.
 * A path through the graph is a vector and has one bit in the bitmap.
 */
#include "evaluation.h"

#include "../../base/compare.h"
#include "../../base/number.h"
#include "../mcdc/mcdc.h"

#define NO_REGION UINT32_MAX
enum { CONDITIONS_MOST = INT16_MAX, CONDITIONS_18 = 16 /* in LLVM 18 */ };

/* ---- conditions of a decision ---- */

/* A region in a list that is sorted so that outer regions come first. */
struct nested_region {
  uint64_t begin, end;
  uint32_t file, index;
  bool decides;
};
ORDER_BY(by_nesting, struct nested_region, x->file, x->begin,
         (uint64_t)!x->decides << 63 | (~x->end >> 1), x->index);

static bool is_same_place(const struct nested_region *a,
                          const struct nested_region *b) {
  return a->file == b->file && a->begin == b->begin && a->end == b->end;
}

/* Returns the number of earlier regions with the same place, kind and
 * number. */
static size_t count_equal_regions_before(struct evaluation *evaluation,
                                         const struct nested_region *list,
                                         uint32_t at) {
  const struct region *regions = evaluation->mapping.regions;
  size_t turn = 0;
  for (uint32_t i = at; i-- && is_same_place(&list[i], &list[at]) &&
                        evaluation_use_steps(evaluation, 1);) {
    const struct region *a = &regions[list[i].index];
    const struct region *b = &regions[list[at].index];
    turn += a->kind == b->kind && a->numbers[0] == b->numbers[0];
  }
  return turn;
}

/* Returns the index in the list of the innermost decision around a region in
 * its file. In a fold expression, several decisions have the same position, and
 * so do several conditions. The first of these conditions then belongs to the
 * first decision, and so on. */
static uint32_t find_decision_around(struct evaluation *evaluation,
                                     const struct nested_region *list,
                                     const uint32_t *stack, size_t depth,
                                     uint32_t at) {
  while (depth-- && evaluation_use_steps(evaluation, 1)) {
    const struct nested_region *found = &list[stack[depth]];
    size_t first = depth, turn;
    if (list[at].end > found->end)
      continue;
    while (first && is_same_place(&list[stack[first - 1]], found))
      first--;
    turn = first < depth ? count_equal_regions_before(evaluation, list, at) : 0;
    return stack[turn < depth - first ? first + turn : depth];
  }
  return NO_REGION;
}

/* All decisions of a fold expression may share a macro. Returns the index of
 * the decision to which the condition at `at`, in such a macro, belongs.
 * `first` is the first decision that contains the macro; in other cases,
 * returns `first`. */
static uint32_t find_decision_of_shared_macro(struct evaluation *evaluation,
                                              const struct nested_region *list,
                                              size_t count, uint32_t first,
                                              uint32_t at) {
  if (first == NO_REGION || first + 1 == count || !list[first + 1].decides ||
      !is_same_place(&list[first], &list[first + 1]))
    return first;
  size_t found = first + count_equal_regions_before(evaluation, list, at);
  return found < count && list[found].decides &&
                 is_same_place(&list[first], &list[found])
             ? (uint32_t)found
             : first;
}

/* Lists the regions that show which condition belongs to which decision. */
static size_t list_nested_regions(const struct mapping *mapping,
                                  struct nested_region *list) {
  size_t count = 0;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    if (region->kind != REGION_EXPANSION && region->kind < REGION_DECISION)
      continue;
    list[count++] =
        (struct nested_region){begin_of(region), end_of(region), region->file,
                               (uint32_t)i, region->kind == REGION_DECISION};
  }
  sort_array(list, count, sizeof *list, by_nesting);
  return count;
}

/* Sets the owner of each condition: the smallest decision that contains the
 * condition, or that contains the macro with the condition. A decision may be
 * inside a condition of another decision. `of_files` receives the owner of each
 * file's contents. */
static void set_condition_owners(struct evaluation *evaluation,
                                 uint32_t *owners, uint32_t *of_files) {
  const struct mapping *mapping = &evaluation->mapping;
  size_t room = mapping->region_count;
  struct nested_region *list =
      evaluation_clear_and_reserve(&evaluation->scratch, room, sizeof *list);
  uint32_t *stack =
      evaluation_clear_and_reserve(&evaluation->stack, room, sizeof *stack);
  size_t count = list_nested_regions(mapping, list), depth = 0;
  for (uint32_t i = 0; i < mapping->file_count; i++)
    of_files[i] = NO_REGION;
  for (uint32_t i = 0; i < count && !evaluation->error; i++) {
    const struct nested_region *one = &list[i];
    const struct region *region = &mapping->regions[one->index];
    while (depth && (list[stack[depth - 1]].file != one->file ||
                     list[stack[depth - 1]].end < one->begin))
      depth--;
    uint32_t owner = find_decision_around(evaluation, list, stack, depth, i);
    if (owner == NO_REGION)
      owner = find_decision_of_shared_macro(evaluation, list, count,
                                            of_files[one->file], i);
    owners[one->index] = owner == NO_REGION ? NO_REGION : list[owner].index;
    if (region->kind == REGION_EXPANSION && region->expanded > region->file)
      of_files[region->expanded] = owner;
    if (one->decides)
      stack[depth++] = i;
  }
}

/* ---- the graph ---- */

struct condition_node {
  const struct region *region; /* NULL if no condition has this number */
  int32_t next[2]; /* the condition that follows if this one is false, and if it
                      is true; -1 means the result */
  uint64_t width;     /* number of paths that lead to this node */
  uint64_t offset[2]; /* what each outcome adds to the index of a bit */
  uint32_t into;  /* number of edges that lead to this node */
  uint32_t place; /* index of the condition in the decision */
};

struct decision_graph {
  const struct region *region;
  struct condition_node *nodes; /* nodes[i] is condition number i + 1 */
  uint32_t count;
  uint64_t vectors; /* number of vectors that the graph allows */
};

/* An exit of the graph: outcome `side` of condition `node` is the result.
 * `width` vectors end there. Exits with more vectors get the lower bits of the
 * bitmap. */
struct decision_exit {
  uint64_t width;
  uint32_t order, node, side;
};
ORDER_BY(by_width, struct decision_exit, ~x->width, x->order);

/* Visits each condition after all conditions that lead to it. Returns the
 * number of results, or 0 if the graph has a cycle. */
static uint32_t compute_node_widths(struct decision_graph *decision,
                                    uint32_t *queue,
                                    struct decision_exit *results) {
  uint32_t begin = 0, end = 0, count = 0;
  for (uint32_t i = 0; i < decision->count; i++)
    for (unsigned side = 0; side < 2; side++)
      if (decision->nodes[i].next[side] >= 0)
        decision->nodes[decision->nodes[i].next[side]].into++;
  decision->nodes[0].width = 1;
  if (!decision->nodes[0].into)
    queue[end++] = 0;
  while (begin != end) {
    uint32_t number = queue[begin++];
    struct condition_node *node = &decision->nodes[number];
    for (uint32_t side = 0; side < 2; side++) {
      if (node->next[side] < 0) {
        results[count] =
            (struct decision_exit){node->width, count, number, side};
        count++;
        continue;
      }
      struct condition_node *next = &decision->nodes[node->next[side]];
      node->offset[side] = next->width;
      next->width = add_saturated(next->width, node->width);
      if (!--next->into)
        queue[end++] = (uint32_t)node->next[side];
    }
  }
  return end == decision->count ? count : 0;
}

/* Assigns a bit to each vector, as clang does since release 19. Returns false
 * if the conditions do not form a valid graph. */
static bool assign_vector_bits(struct evaluation *evaluation,
                               struct decision_graph *decision) {
  uint32_t count = decision->count;
  uint32_t *queue =
      evaluation_clear_and_reserve(&evaluation->stack, count, sizeof *queue);
  struct decision_exit *results = evaluation_clear_and_reserve(
      &evaluation->active, 2 * (size_t)count, sizeof *results);
  uint32_t ends = compute_node_widths(decision, queue, results);
  sort_array(results, ends, sizeof *results, by_width);
  for (uint32_t i = 0; i < ends; i++) {
    struct condition_node *node = &decision->nodes[results[i].node];
    node->offset[results[i].side] = decision->vectors;
    decision->vectors = add_saturated(decision->vectors, results[i].width);
  }
  return ends;
}

/* Makes the nodes of a decision from its conditions, which `next` links in the
 * order of the source. The condition with number 1 is always the first node,
 * whatever macro contains it. */
static bool make_condition_nodes(struct evaluation *evaluation,
                                 struct decision_graph *decision,
                                 uint32_t first, const uint32_t *next) {
  const struct region *regions = evaluation->mapping.regions;
  uint32_t most = decision->region->numbers[1], place = 1;
  for (uint32_t i = first; i != NO_REGION; i = next[i])
    decision->count++;
  if (decision->count != most || most > CONDITIONS_MOST)
    return false;
  decision->nodes = evaluation_clear_and_reserve(&evaluation->scratch, most,
                                                 sizeof *decision->nodes);
  for (uint32_t i = first; i != NO_REGION; i = next[i]) {
    const uint32_t *numbers = regions[i].numbers;
    struct condition_node *node = &decision->nodes[numbers[0] - 1];
    if (!numbers[0] || numbers[0] > most || node->region || numbers[1] > most ||
        numbers[2] > most)
      return false;
    *node = (struct condition_node){
        .region = &regions[i],
        .next = {(int32_t)numbers[2] - 1, (int32_t)numbers[1] - 1},
        .place = numbers[0] == 1 ? 0 : place};
    place += numbers[0] != 1;
  }
  return true;
}

/* ---- vectors ---- */

/* A condition on the current path: the outcome to take next, and the index of
 * the bit so far. */
struct vector_walk_step {
  uint32_t node, side;
  uint64_t index;
};

/* The size of the prefix that each vector has while vectors are sorted: the
 * result and the bit's index. */
enum { KEY = 1 + 8 };

struct vector_walk {
  struct evaluation *evaluation;
  const struct decision_graph *decision;
  struct buffer *ran;
  unsigned char *key, *values; /* values of the vector, then its result */
  uint64_t first, bits;        /* range of the decision in the bitmap */
  bool as_18;                  /* The index of a bit consists of the values of
                                  the conditions. */
};

static void append_vector_if_ran(struct vector_walk *walk,
                                 const struct vector_walk_step *step) {
  uint64_t bit = walk->first + step->index;
  const unsigned char *bitmap = walk->evaluation->counted.bitmap;
  if (bit >= walk->bits || !(bitmap[bit / 8] >> bit % 8 & 1))
    return;
  walk->values[walk->decision->count] = step->side ? VALUE_TRUE : VALUE_FALSE;
  walk->key[0] = (unsigned char)step->side;
  store64(walk->key + 1, step->index, true);
  evaluation_append(walk->evaluation, walk->ran, walk->key,
                    KEY + walk->decision->count + 1);
}

static int compare_vector_keys(const void *left, const void *right) {
  return memcmp(left, right, KEY);
}

/* Walks over all paths through a decision. Each path that ends is a vector. */
static void walk_vectors(struct vector_walk *walk,
                         struct vector_walk_step *steps) {
  size_t depth = 0;
  steps[depth++] = (struct vector_walk_step){0, 0, 0};
  while (depth && evaluation_use_steps(walk->evaluation, 1)) {
    struct vector_walk_step *at = &steps[depth - 1];
    const struct condition_node *node = &walk->decision->nodes[at->node];
    unsigned char *value = &walk->values[node->place];
    if (at->side == 2) {
      *value = VALUE_NONE;
      depth--;
      continue;
    }
    uint64_t more =
        walk->as_18 ? (uint64_t)at->side << at->node : node->offset[at->side];
    struct vector_walk_step next = {0, 0, at->index + more};
    int32_t to = node->next[at->side];
    *value = at->side ? VALUE_TRUE : VALUE_FALSE;
    if (to < 0)
      append_vector_if_ran(walk,
                           &(struct vector_walk_step){0, at->side, next.index});
    at->side++;
    next.node = (uint32_t)to;
    if (to >= 0)
      steps[depth++] = next;
  }
}

/* Adds the vectors that ran, sorted by result (false first), then by bit.
 * Returns the number of vectors with the result true. */
static size_t append_sorted_vectors(struct evaluation *evaluation,
                                    struct buffer *ran, size_t width) {
  size_t count = ran->size / (KEY + width), truths = 0;
  sort_array(ran->data, count, KEY + width, compare_vector_keys);
  for (size_t i = 0; i < count; i++) {
    const unsigned char *one = ran->data + i * (KEY + width);
    truths += *one;
    evaluation_append(evaluation, &evaluation->out->values, one + KEY, width);
  }
  return truths;
}

static size_t append_ran_vectors(struct evaluation *evaluation,
                                 const struct decision_graph *decision) {
  const struct function_counts *counted = &evaluation->counted;
  uint64_t bits = 8 * (uint64_t)counted->bitmap_size;
  uint64_t number = decision->region->numbers[0];
  bool as_18 = evaluation->from->profile->bitmaps == BITMAPS_18;
  size_t count = decision->count;
  if (!counted->bitmap || (as_18 ? count > CONDITIONS_18
                                 : number > bits || decision->vectors > number))
    return 0;
  struct vector_walk_step *steps =
      evaluation_clear_and_reserve(&evaluation->active, count, sizeof *steps);
  unsigned char *key =
      evaluation_clear_and_reserve(&evaluation->stack, KEY + count + 1, 1);
  struct vector_walk walk = {
      evaluation, decision,  &evaluation->segments,
      key,        key + KEY, as_18 ? 8 * number : number - decision->vectors,
      bits,       as_18};
  memset(walk.values, VALUE_NONE, count);
  walk.ran->limit = evaluation->out->values.limit;
  walk.ran->size = 0;
  walk_vectors(&walk, steps);
  return append_sorted_vectors(evaluation, walk.ran, count + 1);
}

/* ---- pairs ---- */

/* Marks the conditions with an independence pair: two vectors with different
 * results in which no other evaluated condition differs. */
static void mark_conditions_with_pair(struct evaluation *evaluation,
                                      const struct model_decision *made,
                                      size_t truths, unsigned char *covered) {
  const unsigned char *all = evaluation->out->values.data + made->values.begin;
  uint32_t count = made->conditions.count, which = 0;
  size_t words = pairs_packed_words(count), falses = made->vectors - truths;
  uint64_t *bits = evaluation_clear_and_reserve(
      &evaluation->active, made->vectors * words, sizeof *bits);
  if (!evaluation_use_steps(evaluation, falses * truths * (words / 2)))
    return;
  for (size_t i = 0; i < made->vectors; i++)
    pairs_pack_vector(all + i * (count + 1), count, bits + i * words);
  for (size_t a = 0; a < falses; a++)
    for (size_t b = falses; b < made->vectors; b++)
      if (pairs_find_only_difference(bits + a * words, bits + b * words, count,
                                     &which))
        covered[which] = 1;
}

/* ---- contradictions ----
 *
 * For a macro of a system header, the mapping has one condition of zero width,
 * whatever operators the macro contains. Each operand of && and || has
 * counters. A decision's counters follow each other in source order, so if the
 * mapping lacks some of them, it lacks operators.
 */

static void mark_used_counters(const struct evaluation *evaluation,
                               unsigned char *used) {
  const struct mapping *mapping = &evaluation->mapping;
  uint32_t count = evaluation->counted.counter_count;
  for (size_t i = 0; i < mapping->region_count + mapping->expression_count;
       i++) {
    bool is_region = i < mapping->region_count;
    const struct region *region = &mapping->regions[i];
    const struct counter_expression *one =
        &mapping->expressions[i - mapping->region_count];
    const uint64_t both[2] = {is_region ? region->counter : one->left,
                              is_region ? region->other : one->right};
    for (unsigned k = 0; k < 2; k++)
      if (both[k] % 4 == COUNTER_PLAIN && both[k] / 4 < count)
        used[both[k] / 4] = 1;
  }
}

/* Returns whether the mapping lacks more counters among the decision's counters
 * than the decision has constant conditions. A constant condition may have one
 * unused counter. */
static bool has_hidden_operators(struct evaluation *evaluation,
                                 const struct decision_graph *decision) {
  uint32_t count = evaluation->counted.counter_count, first = count, last = 0;
  uint32_t hidden = 0;
  /* Byte counters are numbered differently. */
  bool byte_counters = evaluation->from->profile->flags & PROFILE_BYTES;
  for (uint32_t i = 0; byte_counters && i < decision->count; i++) {
    const struct region *region = decision->nodes[i].region;
    hidden |= begin_of(region) == end_of(region);
  }
  if (byte_counters)
    return hidden;
  unsigned char *used =
      evaluation_clear_and_reserve(&evaluation->active, count, 1);
  for (uint32_t i = 0; i < decision->count; i++) {
    const struct region *region = decision->nodes[i].region;
    const uint64_t both[2] = {region->counter, region->other};
    hidden -= both[0] == COUNTER_ZERO || both[1] == COUNTER_ZERO;
    if (counts_find_branch_cause(evaluation, region) == CAUSE_LOST)
      return true;
    for (unsigned k = 0; k < 2; k++) {
      uint64_t number = both[k] / 4;
      if (both[k] % 4 != COUNTER_PLAIN || !number || number >= count)
        continue;
      first = number < first ? (uint32_t)number : first;
      last = number > last ? (uint32_t)number : last;
    }
  }
  if (evaluation_use_steps(evaluation, evaluation->mapping.region_count))
    mark_used_counters(evaluation, used);
  for (uint32_t i = first; i < count && (i <= last || !used[i]); i++)
    hidden += !used[i];
  return (int32_t)hidden > 0;
}

/* Returns whether a vector contains an outcome that never occurred according to
 * the counters, or the decision ran without a vector. */
static bool vectors_contradict_counts(const struct evaluation *evaluation,
                                      const struct decision_graph *decision,
                                      const struct model_decision *made) {
  const unsigned char *all = evaluation->out->values.data + made->values.begin;
  for (uint32_t i = 0; i < decision->count; i++) {
    const struct condition_node *node = &decision->nodes[i];
    for (unsigned side = 0; side < 2; side++) {
      uint32_t cause = CAUSE_NONE;
      uint64_t counter = side ? node->region->counter : node->region->other;
      bool never = counter != COUNTER_ZERO &&
                   !counts_find_value_or_cause(evaluation, counter, &cause) &&
                   !cause;
      if (!made->vectors && !never && counter != COUNTER_ZERO && !cause)
        return evaluation->has_bits;
      for (size_t k = 0; never && k < made->vectors; k++)
        if (all[k * (decision->count + 1) + node->place] ==
            (side ? VALUE_TRUE : VALUE_FALSE))
          return true;
    }
  }
  return false;
}

/* Returns why the vectors of a decision are not known, as enum cause. */
static uint32_t find_decision_doubt(struct evaluation *evaluation,
                                    const struct decision_graph *decision,
                                    const struct model_decision *made) {
  if (evaluation->out->as_llvm_cov || !evaluation->counted.counters ||
      evaluation->from->least)
    return CAUSE_NONE;
  if (evaluation->cause)
    return evaluation->cause;
  if (has_hidden_operators(evaluation, decision))
    return CAUSE_HIDDEN;
  return vectors_contradict_counts(evaluation, decision, made) ? CAUSE_CONTRARY
                                                               : CAUSE_NONE;
}

/* ---- a decision ---- */

static void add_conditions(struct evaluation *evaluation,
                           const struct decision_graph *decision,
                           const unsigned char *covered) {
  struct model *out = evaluation->out;
  struct model_condition *atoms = evaluation_clear_and_reserve(
      &evaluation->segments, decision->count, sizeof *atoms);
  for (uint32_t i = 0; i < decision->count; i++) {
    const struct condition_node *node = &decision->nodes[i];
    const struct region *region = node->region;
    atoms[node->place] = (struct model_condition){
        region_span(region),
        region->file,
        region_constant_outcomes(region),
        (int16_t)i,
        {(int16_t)node->next[0], (int16_t)node->next[1]}};
  }
  evaluation_append(evaluation, &out->conditions, covered, decision->count);
  evaluation_append(evaluation, &out->atoms, atoms,
                    decision->count * sizeof *atoms);
}

static void add_decision(struct evaluation *evaluation,
                         const struct decision_graph *decision) {
  struct model *out = evaluation->out;
  const struct region *region = decision->region;
  uint32_t count = decision->count;
  struct model_decision made = {
      .span = region_span(region),
      .file = region->file,
      .conditions = {(uint32_t)out->conditions.size, count},
      .values.begin = (uint32_t)out->values.size};
  size_t truths = append_ran_vectors(evaluation, decision);
  made.values.count = (uint32_t)out->values.size - made.values.begin;
  made.vectors = made.values.count / (count + 1);
  made.cause = find_decision_doubt(evaluation, decision, &made);
  if (made.cause) {
    out->values.size = made.values.begin;
    made.values.count = made.vectors = 0;
  }
  unsigned char *covered =
      evaluation_clear_and_reserve(&evaluation->stack, count, 1);
  if (!made.cause && made.vectors)
    mark_conditions_with_pair(evaluation, &made, truths, covered);
  add_conditions(evaluation, decision, covered);
  evaluation_append(evaluation, &out->decisions, &made, sizeof made);
}

/* Links the conditions of each decision in a list. `heads` and `tails` receive
 * the first and the last condition of each decision. */
static void link_conditions(const struct mapping *mapping,
                            const uint32_t *owners, uint32_t *heads,
                            uint32_t *tails, uint32_t *next) {
  for (uint32_t i = 0; i < mapping->region_count; i++)
    heads[i] = tails[i] = next[i] = NO_REGION;
  for (uint32_t i = 0; i < mapping->region_count; i++) {
    uint32_t owner = owners[i];
    if (mapping->regions[i].kind != REGION_MCDC_BRANCH || owner == NO_REGION)
      continue;
    if (heads[owner] == NO_REGION)
      heads[owner] = i;
    else
      next[tails[owner]] = i;
    tails[owner] = i;
  }
}

/* A decision is added after its last condition, as in llvm-cov's export. */
void decisions_add_to_model(struct evaluation *evaluation) {
  const struct mapping *mapping = &evaluation->mapping;
  size_t count = mapping->region_count, decisions = 0;
  for (size_t i = 0; i < count; i++)
    decisions += mapping->regions[i].kind == REGION_DECISION;
  if (!decisions)
    return;
  uint32_t *room = evaluation_clear_and_reserve(
      &evaluation->owners, 4 * count + mapping->file_count, sizeof *room);
  uint32_t *heads = room + count, *tails = heads + count, *next = tails + count;
  set_condition_owners(evaluation, room, next + count);
  if (evaluation->error)
    return;
  link_conditions(mapping, room, heads, tails, next);
  for (uint32_t i = 0; i < count && !evaluation->error; i++) {
    uint32_t owner = room[i];
    if (mapping->regions[i].kind != REGION_MCDC_BRANCH || owner == NO_REGION ||
        tails[owner] != i)
      continue;
    struct decision_graph decision = {.region = &mapping->regions[owner]};
    if (!make_condition_nodes(evaluation, &decision, heads[owner], next) ||
        !assign_vector_bits(evaluation, &decision))
      continue;
    add_decision(evaluation, &decision);
    next[owner] = i;
  }
  for (uint32_t i = 0; i < count && !evaluation->out->as_llvm_cov; i++) {
    const struct region *region = &mapping->regions[i];
    const struct model_decision empty = {.span = region_span(region),
                                         .file = region->file,
                                         .cause = CAUSE_EMPTY};
    if (region->kind == REGION_DECISION && next[i] == NO_REGION)
      evaluation_append(evaluation, &evaluation->out->decisions, &empty,
                        sizeof empty);
  }
}
