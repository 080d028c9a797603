/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file computes the order. The first step sorts functions with a weighted
 * mean of the logarithms of their positions in the runs as the key, because the
 * first positions matter most. A function that a run does not call is treated
 * as if called after the end of the run. Then the two halves of the list
 * exchange functions as long as this brings functions together that the same
 * runs call at about the same time. The same is done with the halves of each
 * half, and so on. This file computes the logarithms itself, because logarithms
 * of different hosts may differ in the last bit, and the order must be the same
 * everywhere.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/compare.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../object/digest.h"
#include "order.h"

/* ==== The runs. Each new function gets the next number. A map finds the number
 * from the MD5 of the name. */

void runs_init(struct runs *runs) {
  *runs = (struct runs){.arena.limit = SIZE_MAX / 2,
                        .numbers.limit = UINT32_MAX - 1};
}

void runs_free(struct runs *runs) {
  arena_free(&runs->arena);
  free(runs->functions);
  free(runs->calls);
  free(runs->list);
  map_free(&runs->numbers);
}

uint32_t runs_find_or_add_function(struct runs *runs, const char *name,
                                   size_t name_size, uint64_t reference) {
  bool is_new;
  size_t number = map_find_or_assign_number(&runs->numbers,
                                            (uint64_t[3]){reference}, &is_new);
  if (!number)
    need_memory(NULL);
  if (is_new)
    LIST_ADD(runs->functions, runs->function_count,
             (struct called_function){
                 need_memory(arena_copy(&runs->arena, name, name_size)),
                 reference, 0});
  return (uint32_t)number;
}

/* ---- runs ---- */

static const uint32_t *calls_of_run(const struct runs *runs,
                                    const struct traced_run *run) {
  return runs->calls + run->first;
}

void runs_begin_run(struct runs *runs, uint64_t weight) {
  LIST_ADD(
      runs->list, runs->count,
      (struct traced_run){.weight = (double)weight, .first = runs->call_count});
}

void runs_add_call(struct runs *runs, const char *name, size_t name_size) {
  runs_add_call_by_number(
      runs, runs_find_or_add_function(runs, name, name_size,
                                      md5_low64(name, name_size)));
}

void runs_add_call_by_number(struct runs *runs, uint32_t number) {
  struct called_function *function = &runs->functions[--number];
  struct traced_run *run = &runs->list[runs->count - 1];
  if (function->stamp == runs->count)
    return;
  function->stamp = runs->count;
  run->hash = (run->hash ^ function->reference) * UINT64_C(0x9E3779B97F4A7C15);
  run->hash ^= run->hash >> 29;
  run->count++;
  LIST_ADD(runs->calls, runs->call_count, number);
}

ORDER_BY(compare_calls, struct traced_run, x->hash, x->count);

static bool has_same_calls(const struct runs *runs, const struct traced_run *a,
                           const struct traced_run *b) {
  return compare_calls(a, b) == 0 &&
         !memcmp(calls_of_run(runs, a), calls_of_run(runs, b),
                 a->count * sizeof(uint32_t));
}

void runs_merge_equal(struct runs *runs) {
  struct traced_run *list = runs->list;
  size_t kept = 0;
  sort_array(list, runs->count, sizeof *list, compare_calls);
  for (size_t i = 0; i < runs->count; i++) {
    if (list[i].count == 0 || list[i].weight == 0)
      continue;
    if (kept && has_same_calls(runs, &list[kept - 1], &list[i]))
      list[kept - 1].weight += list[i].weight;
    else
      list[kept++] = list[i];
  }
  runs->count = kept;
}

/* Returns zeroed memory from the arena. */
static void *order_allocate(struct arena *arena, size_t size) {
  return need_memory(arena_allocate(arena, size));
}

/* ==== The order of the means. */

enum { FRACTION = 28 }; /* number of bits after the binary point */

/* Computes the logarithm to base 2. The rest is squared repeatedly; whenever
 * the square exceeds 2, the next bit is 1. */
static double compute_logarithm(size_t number) {
  double rest = (double)number, result = 0, bit = 1;
  for (; rest >= 2; rest /= 2)
    result++;
  for (int i = 0; i < FRACTION; i++) {
    bit /= 2;
    rest *= rest;
    if (rest >= 2) {
      rest /= 2;
      result += bit;
    }
  }
  return result;
}

struct function_gain {
  double gain; /* sum over all runs: how much earlier than the end of the run
                  the function is called */
  const char *name;
  uint32_t function;
};

static int compare_gains(const void *a, const void *b) {
  const struct function_gain *one = a, *two = b;
  if (one->gain != two->gain)
    return one->gain > two->gain ? -1 : 1;
  return strcmp(one->name, two->name);
}

/* Sums the gains of each function. The larger the sum, the smaller the mean. A
 * position after the end adds nothing. */
static void sum_function_gains(const struct runs *runs, const double *logarithm,
                               struct function_gain *gains) {
  for (size_t i = 0; i < runs->count; i++) {
    const struct traced_run *run = &runs->list[i];
    const uint32_t *calls = calls_of_run(runs, run);
    for (uint32_t j = 0; j < run->count; j++)
      gains[calls[j]].gain +=
          run->weight * (logarithm[run->count + 1] - logarithm[j + 1]);
  }
}

static uint32_t *sort_functions_by_means(struct runs *runs) {
  size_t count = runs->function_count;
  double *logarithm =
      order_allocate(&runs->arena, (count + 2) * sizeof *logarithm);
  struct function_gain *gains =
      order_allocate(&runs->arena, (count + 1) * sizeof *gains);
  uint32_t *list = order_allocate(&runs->arena, (count + 1) * sizeof *list);
  for (size_t i = 1; i <= count + 1; i++)
    logarithm[i] = compute_logarithm(i);
  for (uint32_t i = 0; i < count; i++)
    gains[i] = (struct function_gain){0, runs->functions[i].name, i};
  sum_function_gains(runs, logarithm, gains);
  qsort(gains, count, sizeof *gains, compare_gains);
  for (size_t i = 0; i < count; i++)
    list[i] = gains[i].function;
  return list;
}

/* ==== The calls of a run are divided into spans that double in size: the first
 * 1, 3, 7, 15, ... functions. The functions of a span should be in one half of
 * the list, so that few pages are touched before the span ends. Therefore x
 * functions of a span in one half are worth x^1.5, which is more than they are
 * worth apart. (With x log x, programs touch 2 % more pages.)
 *
 * In this part, the rank of a function identifies it: its position in the order
 * of the means.
 */
/* A run that calls a function, and the first span of the run that contains the
 * function. */
struct calling_run {
  uint32_t run, span;
};

/* Counts for a span of a run: the number of functions in each half, and the
 * gain if a function moves to the other half, summed over this span and the
 * later ones. */
struct run_span_counts {
  uint32_t counts[2];
  double worth[2];
};

struct halving_state {
  /* calls of functions by runs, sorted by rank of the function, then by run */
  struct calling_run *calling_runs;
  size_t *first;     /* for each rank, the index of its first element in
                                calling_runs; then the end */
  struct run_span_counts *spans; /* spans of all runs, one run after another */
  size_t *first_span;   /* for each run, the index of its first span; then
                                the end */
  double *weights;      /* weight of each run; the largest weight is 1 */
  uint32_t *touched;    /* runs that call functions of the current list */
  size_t touched_count; /* length of `touched` */
  bool *is_touched;     /* for each run, whether it is in `touched` */
  uint32_t *sorted;     /* copy of the current list */
  unsigned char *half;  /* for each rank, the half of the list: 0 or 1 */
  double *worth;        /* for each number x, the worth of x functions in
                                one half */
  struct move_candidate {
    double worth;
    uint32_t rank;
  } * moves; /* functions that may move, first of the first half, then of the
                second half */
};

static inline size_t count_spans(const struct halving_state *halves,
                                 uint32_t run) {
  return halves->first_span[run + 1] - halves->first_span[run];
}

/* ---- spans, built from runs ---- */

/* The largest number of calls to use. More calls do not improve the order, but
 * take time. */
enum { CALLS_MOST = 1 << 20 };

static int compare_weights(const void *a, const void *b) {
  const struct traced_run *one = *(const struct traced_run *const *)a;
  const struct traced_run *two = *(const struct traced_run *const *)b;
  if (one->weight != two->weight)
    return one->weight > two->weight ? -1 : 1;
  return compare_numbers(one->hash, two->hash);
}

struct heaviest_runs {
  const struct traced_run **list;
  size_t count, calls;
};

static struct heaviest_runs choose_heaviest_runs(struct runs *runs) {
  struct heaviest_runs chosen = {
      order_allocate(&runs->arena, (runs->count + 1) * sizeof *chosen.list), 0,
      0};
  for (size_t i = 0; i < runs->count; i++)
    chosen.list[i] = &runs->list[i];
  qsort(chosen.list, runs->count, sizeof *chosen.list, compare_weights);
  while (chosen.count < runs->count && chosen.calls < CALLS_MOST)
    chosen.calls += chosen.list[chosen.count++]->count;
  return chosen;
}

/* Returns the first span that contains the call with this number. */
static uint32_t find_first_span(uint32_t call) {
  uint32_t span = 0;
  while ((call + 1) >> (span + 1))
    span++;
  return span;
}

static void allocate_halving_state(struct halving_state *halves,
                                   struct runs *runs,
                                   const struct heaviest_runs *chosen) {
  struct arena *arena = &runs->arena;
  size_t functions = runs->function_count, spans = 0, count = chosen->count + 1;
  for (size_t i = 0; i < chosen->count; i++)
    spans += find_first_span(chosen->list[i]->count - 1) + 1;
  halves->calling_runs =
      order_allocate(arena, (chosen->calls + 1) * sizeof *halves->calling_runs);
  halves->first = order_allocate(arena, (functions + 2) * sizeof(size_t));
  halves->spans = order_allocate(arena, (spans + 1) * sizeof *halves->spans);
  halves->first_span = order_allocate(arena, count * sizeof(size_t));
  halves->weights = order_allocate(arena, count * sizeof(double));
  halves->touched = order_allocate(arena, count * sizeof(uint32_t));
  halves->is_touched = order_allocate(arena, count);
  halves->sorted = order_allocate(arena, (functions + 1) * sizeof(uint32_t));
  halves->half = order_allocate(arena, functions + 1);
  halves->worth = order_allocate(arena, (functions + 3) * sizeof(double));
  halves->moves =
      order_allocate(arena, (functions + 1) * sizeof *halves->moves);
}

/* Fills calling_runs. The elements of a rank follow the elements of the
 * previous rank. Meanwhile, first[rank + 1] is the next free element of a rank,
 * and ends at the beginning of the next rank. */
static void fill_calling_runs(struct halving_state *halves,
                              const struct runs *runs,
                              const struct heaviest_runs *chosen,
                              const uint32_t *ranks) {
  for (size_t i = 0; i < chosen->count; i++)
    for (uint32_t j = 0; j < chosen->list[i]->count; j++)
      halves->first[ranks[calls_of_run(runs, chosen->list[i])[j]] + 2]++;
  /* After this loop, the last two elements are equal. */
  for (size_t i = 1; i < runs->function_count + 1; i++)
    halves->first[i + 1] += halves->first[i];
  for (size_t i = 0; i < chosen->count; i++)
    for (uint32_t j = 0; j < chosen->list[i]->count; j++) {
      uint32_t rank = ranks[calls_of_run(runs, chosen->list[i])[j]];
      halves->calling_runs[halves->first[rank + 1]++] =
          (struct calling_run){(uint32_t)i, find_first_span(j)};
    }
}

/* Computes the square root with Newton's method, from above. */
static double square_root(double number) {
  double last = number + 1, next = number;
  for (; next < last; next = (last + number / last) / 2)
    last = next;
  return last;
}

static void fill_halving_state(struct halving_state *halves,
                               const struct runs *runs,
                               const struct heaviest_runs *chosen,
                               const uint32_t *ranks) {
  for (size_t i = 0; i < chosen->count; i++) {
    const struct traced_run *run = chosen->list[i];
    halves->weights[i] = run->weight / chosen->list[0]->weight;
    halves->first_span[i + 1] =
        halves->first_span[i] + find_first_span(run->count - 1) + 1;
  }
  for (size_t i = 1; i < runs->function_count + 3; i++)
    halves->worth[i] = (double)i * square_root((double)i);
  fill_calling_runs(halves, runs, chosen, ranks);
}

/* Builds the spans. `list` has the functions by rank. If there are very many
 * runs, only the heaviest runs are used. */
static void init_halving_state(struct halving_state *halves, struct runs *runs,
                               const uint32_t *list) {
  struct heaviest_runs chosen = choose_heaviest_runs(runs);
  uint32_t *ranks =
      order_allocate(&runs->arena, (runs->function_count + 1) * sizeof *ranks);
  for (uint32_t i = 0; i < runs->function_count; i++)
    ranks[list[i]] = i;
  allocate_halving_state(halves, runs, &chosen);
  fill_halving_state(halves, runs, &chosen, ranks);
}

/* ==== This part exchanges functions between the halves of a list. */

/* A list with at most SHORT functions stays unchanged. The exchange stops after
 * ROUNDS rounds. */
enum { SHORT = 4, ROUNDS = 8 };
#define WORTH_IT 1e-9

/* ---- a list and its halves ---- */

static void add_function_to_span_counts(struct halving_state *halves,
                                        uint32_t rank, int half) {
  for (size_t i = halves->first[rank]; i < halves->first[rank + 1]; i++) {
    const struct calling_run *part = &halves->calling_runs[i];
    if (!halves->is_touched[part->run]) {
      halves->is_touched[part->run] = true;
      halves->touched[halves->touched_count++] = part->run;
    }
    halves->spans[halves->first_span[part->run] + part->span].counts[half]++;
  }
}

/* Counts the functions of a list in the spans. A function of a span also
 * belongs to the later spans. */
static void add_list_to_span_counts(struct halving_state *halves,
                                    const uint32_t *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    add_function_to_span_counts(halves, list[i], i >= count / 2);
  for (size_t i = 0; i < halves->touched_count; i++) {
    uint32_t run = halves->touched[i];
    struct run_span_counts *spans = &halves->spans[halves->first_span[run]];
    for (size_t j = 1; j < count_spans(halves, run); j++) {
      spans[j].counts[0] += spans[j - 1].counts[0];
      spans[j].counts[1] += spans[j - 1].counts[1];
    }
  }
}

static void clear_span_counts(struct halving_state *halves) {
  for (size_t i = 0; i < halves->touched_count; i++) {
    uint32_t run = halves->touched[i];
    memset(halves->spans + halves->first_span[run], 0,
           count_spans(halves, run) * sizeof *halves->spans);
    halves->is_touched[run] = false;
  }
  halves->touched_count = 0;
}

/* Returns the gain in one span if a function moves to the other half. */
static double compute_move_gain(const struct halving_state *halves,
                                const struct run_span_counts *span, int from) {
  uint32_t here = span->counts[from], there = span->counts[!from];
  return here ? halves->worth[here - 1] + halves->worth[there + 1] -
                    halves->worth[here] - halves->worth[there]
              : 0;
}

/* Computes the gain of moving a function for each span, summed over the span
 * and the later ones. */
static void sum_span_gains(struct halving_state *halves) {
  for (size_t i = 0; i < halves->touched_count; i++) {
    uint32_t run = halves->touched[i];
    double worth[2] = {0, 0};
    for (size_t j = halves->first_span[run + 1]; j-- > halves->first_span[run];)
      for (int from = 0; from < 2; from++) {
        struct run_span_counts *span = &halves->spans[j];
        worth[from] +=
            halves->weights[run] * compute_move_gain(halves, span, from);
        span->worth[from] = worth[from];
      }
  }
}

static double sum_move_gain(const struct halving_state *halves, uint32_t rank,
                            int from) {
  double worth = 0;
  for (size_t i = halves->first[rank]; i < halves->first[rank + 1]; i++) {
    const struct calling_run *part = &halves->calling_runs[i];
    worth +=
        halves->spans[halves->first_span[part->run] + part->span].worth[from];
  }
  return worth;
}

/* ---- exchanging two functions ---- */

/* Moves one of two functions to the other half, in the spans of a run from
 * `first` up to `end`, which contain only this function. Returns the gain. The
 * move is made only if `really` is set. */
static double weigh_or_exchange_in_spans(struct halving_state *halves,
                                         struct calling_run first, uint32_t end,
                                         int from, bool really) {
  double worth = 0;
  struct run_span_counts *spans = &halves->spans[halves->first_span[first.run]];
  for (uint32_t i = first.span; i < end; i++)
    if (really) {
      spans[i].counts[from]--;
      spans[i].counts[!from]++;
    } else {
      worth += compute_move_gain(halves, &spans[i], from);
    }
  return worth * halves->weights[first.run];
}

/* Exchanges two functions of different halves. In a span that contains both
 * functions, the counts stay the same. */
static double weigh_or_exchange_pair(struct halving_state *halves, uint32_t a,
                                     uint32_t b, bool really) {
  const struct calling_run *i = &halves->calling_runs[halves->first[a]];
  const struct calling_run *a_end = &halves->calling_runs[halves->first[a + 1]];
  const struct calling_run *j = &halves->calling_runs[halves->first[b]];
  const struct calling_run *b_end = &halves->calling_runs[halves->first[b + 1]];
  double worth = 0;
  while (i < a_end || j < b_end) {
    bool in_a = i < a_end && (j == b_end || i->run <= j->run);
    bool in_b = j < b_end && (i == a_end || j->run <= i->run);
    struct calling_run first = in_a ? *i : *j;
    int from = !in_a;
    uint32_t end = (uint32_t)count_spans(halves, first.run);
    if (in_a && in_b) {
      from = i->span > j->span;
      first = from ? *j : *i;
      end = from ? i->span : j->span;
    }
    worth += weigh_or_exchange_in_spans(halves, first, end, from, really);
    i += in_a;
    j += in_b;
  }
  return worth;
}

static int compare_move_gains(const void *a, const void *b) {
  const struct move_candidate *one = a, *two = b;
  if (one->worth != two->worth)
    return one->worth > two->worth ? -1 : 1;
  return compare_numbers(one->rank, two->rank);
}

static double find_largest_gain(const struct move_candidate *list,
                                size_t count) {
  double most = list[0].worth;
  for (size_t i = 1; i < count; i++)
    most = list[i].worth > most ? list[i].worth : most;
  return most;
}

/* Keeps the functions whose exchange with a partner of this worth would have a
 * gain: moves them to the front, sorted by falling gain. Returns their number,
 * which is usually small. */
static size_t sort_functions_worth_moving(struct move_candidate *list,
                                          size_t count, double partner) {
  size_t worthy = 0;
  for (size_t i = 0; i < count; i++)
    if (list[i].worth + partner > WORTH_IT) {
      struct move_candidate kept = list[worthy];
      list[worthy++] = list[i];
      list[i] = kept;
    }
  qsort(list, worthy, sizeof *list, compare_move_gains);
  return worthy;
}

/* Exchanges the pairs with the largest gain, as long as there is a gain. The
 * first half is list[0] to list[half - 1]. Returns false if nothing changed. */
static bool exchange_best_pairs(struct halving_state *halves, uint32_t *list,
                                size_t count, size_t half) {
  bool changed = false;
  sum_span_gains(halves);
  struct move_candidate *a = halves->moves, *b = halves->moves + half;
  for (size_t i = 0; i < count; i++)
    halves->moves[i] = (struct move_candidate){
        sum_move_gain(halves, list[i], i >= half), list[i]};
  double a_most = find_largest_gain(a, half),
         b_most = find_largest_gain(b, count - half);
  size_t a_count = sort_functions_worth_moving(a, half, b_most);
  size_t b_count = sort_functions_worth_moving(b, count - half, a_most);
  for (size_t i = 0; i < a_count && i < b_count; i++) {
    if (a[i].worth + b[i].worth <= WORTH_IT)
      break;
    if (weigh_or_exchange_pair(halves, a[i].rank, b[i].rank, false) <= WORTH_IT)
      continue;
    weigh_or_exchange_pair(halves, a[i].rank, b[i].rank, true);
    struct move_candidate kept = a[i];
    a[i] = b[i];
    b[i] = kept;
    changed = true;
  }
  for (size_t i = 0; i < count; i++)
    list[i] = halves->moves[i].rank;
  return changed;
}

/* Sorts both halves of a list by rank, using the copy in `sorted`. */
static void sort_halves(struct halving_state *halves, uint32_t *list,
                        size_t count) {
  uint32_t *to[2] = {list, list + count / 2};
  for (size_t i = 0; i < count; i++)
    halves->half[list[i]] = i >= count / 2;
  for (size_t i = 0; i < count; i++)
    *to[halves->half[halves->sorted[i]]]++ = halves->sorted[i];
}

/* Divides a list that is sorted by rank, and exchanges functions between its
 * halves. The recursion has at most 32 levels, because lists halve. */
static void halve_list_and_exchange(struct halving_state *halves,
                                    uint32_t *list, size_t count) {
  size_t half = count / 2;
  if (count <= SHORT)
    return;
  memcpy(halves->sorted, list, count * sizeof *list);
  add_list_to_span_counts(halves, list, count);
  for (int i = 0; i < ROUNDS && exchange_best_pairs(halves, list, count, half);
       i++)
    continue;
  clear_span_counts(halves);
  sort_halves(halves, list, count);
  halve_list_and_exchange(halves, list, half);
  halve_list_and_exchange(halves, list + half, count - half);
}

/* Improves a list that is in the order of the means. */
static void improve_order(struct runs *runs, uint32_t *list) {
  struct halving_state halves = {.calling_runs = NULL};
  size_t count = runs->function_count;
  uint32_t *ranks = order_allocate(&runs->arena, (count + 1) * sizeof *ranks);
  init_halving_state(&halves, runs, list);
  for (uint32_t i = 0; i < count; i++)
    ranks[i] = i;
  halve_list_and_exchange(&halves, ranks, count);
  for (size_t i = 0; i < count; i++)
    ranks[i] = list[ranks[i]];
  if (count)
    memcpy(list, ranks, count * sizeof *list);
}

uint32_t *order_compute(struct runs *runs) {
  uint32_t *list = sort_functions_by_means(runs);
  improve_order(runs, list);
  return list;
}
