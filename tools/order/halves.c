/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Exchanges functions between the halves of a list.
 */
#include <stdlib.h>
#include <string.h>

#include "spans.h"

/* Where a list is short it stays as it is, and so it does after so many
 * rounds. */
enum { SHORT = 4, ROUNDS = 8 };

#define WORTH_IT 1e-9

/* ---- a list and its halves ---- */

static void count_one(struct halves *halves, uint32_t rank, int half) {
  for (size_t i = halves->first[rank]; i < halves->first[rank + 1]; i++) {
    uint32_t run = halves->parts[i].run;
    struct span *spans = &halves->spans[halves->first_span[run]];
    size_t count = span_count(halves, run);
    struct span *last = &spans[count - 1];
    if (last->counts[0] + last->counts[1] == 0)
      halves->touched[halves->touched_count++] = run;
    for (size_t span = halves->parts[i].span; span < count; span++)
      spans[span].counts[half]++;
  }
}

static void forget(struct halves *halves) {
  for (size_t i = 0; i < halves->touched_count; i++) {
    size_t first = halves->first_span[halves->touched[i]];
    size_t end = halves->first_span[halves->touched[i] + 1];
    memset(halves->spans + first, 0, (end - first) * sizeof *halves->spans);
  }
  halves->touched_count = 0;
}

/* What one more here and one less there is worth in a span. */
static double worth_of(const struct halves *halves, const struct span *span,
                       int from) {
  uint32_t here = span->counts[from], there = span->counts[!from];
  return here ? halves->worth[here - 1] + halves->worth[there + 1] -
                    halves->worth[here] - halves->worth[there]
              : 0;
}

/* For all spans, what it is worth to move what is in them from there on. */
static void weigh(struct halves *halves) {
  for (size_t i = 0; i < halves->touched_count; i++) {
    uint32_t run = halves->touched[i];
    double worth[2] = {0, 0};
    for (size_t j = halves->first_span[run + 1]; j-- > halves->first_span[run];)
      for (int from = 0; from < 2; from++) {
        struct span *span = &halves->spans[j];
        worth[from] += halves->weights[run] * worth_of(halves, span, from);
        span->worth[from] = worth[from];
      }
  }
}

static double worth_moving(const struct halves *halves, uint32_t rank,
                           int from) {
  double worth = 0;
  for (size_t i = halves->first[rank]; i < halves->first[rank + 1]; i++) {
    const struct part *part = &halves->parts[i];
    worth +=
        halves->spans[halves->first_span[part->run] + part->span].worth[from];
  }
  return worth;
}

/* ---- two functions ---- */

/* Of a run, spans from `first` up to `end` have one of the two functions, that
 * goes from one half to the other. Returns what that is worth, or does it. */
static double exchange_spans(struct halves *halves, struct part first,
                             uint32_t end, int from, bool really) {
  double worth = 0;
  struct span *spans = &halves->spans[halves->first_span[first.run]];
  for (uint32_t i = first.span; i < end; i++)
    if (really) {
      spans[i].counts[from]--;
      spans[i].counts[!from]++;
    } else {
      worth += worth_of(halves, &spans[i], from);
    }
  return worth * halves->weights[first.run];
}

/* One function of each half for the other: spans that have both do not
 * change. */
static double exchange(struct halves *halves, uint32_t a, uint32_t b,
                       bool really) {
  const struct part *i = &halves->parts[halves->first[a]];
  const struct part *a_end = &halves->parts[halves->first[a + 1]];
  const struct part *j = &halves->parts[halves->first[b]];
  const struct part *b_end = &halves->parts[halves->first[b + 1]];
  double worth = 0;
  while (i < a_end || j < b_end) {
    bool in_a = i < a_end && (j == b_end || i->run <= j->run);
    bool in_b = j < b_end && (i == a_end || j->run <= i->run);
    struct part first = in_a ? *i : *j;
    int from = !in_a;
    uint32_t end = (uint32_t)span_count(halves, first.run);
    if (in_a && in_b) {
      from = i->span > j->span;
      first = from ? *j : *i;
      end = from ? i->span : j->span;
    }
    worth += exchange_spans(halves, first, end, from, really);
    i += in_a;
    j += in_b;
  }
  return worth;
}

static int by_worth(const void *a, const void *b) {
  const struct moved *one = a, *two = b;
  if (one->worth != two->worth)
    return one->worth > two->worth ? -1 : 1;
  return (one->rank > two->rank) - (one->rank < two->rank);
}

/* Exchanges those that gain most, two by two, as long as it is worth it.
 * list[0] to list[half - 1] are the first half. false: nothing changed. */
static bool exchange_some(struct halves *halves, uint32_t *list, size_t count,
                          size_t half) {
  bool changed = false;
  for (size_t i = 0; i < count; i++)
    count_one(halves, list[i], i >= half);
  weigh(halves);
  struct moved *a = halves->moves, *b = halves->moves + half;
  for (size_t i = 0; i < count; i++)
    halves->moves[i] =
        (struct moved){worth_moving(halves, list[i], i >= half), list[i]};
  qsort(a, half, sizeof *a, by_worth);
  qsort(b, count - half, sizeof *b, by_worth);
  for (size_t i = 0; i < half && i < count - half; i++) {
    if (a[i].worth + b[i].worth <= WORTH_IT)
      break;
    if (exchange(halves, a[i].rank, b[i].rank, false) <= WORTH_IT)
      continue;
    exchange(halves, a[i].rank, b[i].rank, true);
    struct moved kept = a[i];
    a[i] = b[i];
    b[i] = kept;
    changed = true;
  }
  for (size_t i = 0; i < count; i++)
    list[i] = halves->moves[i].rank;
  forget(halves);
  return changed;
}

static int by_rank(const void *a, const void *b) {
  uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
  return (one > two) - (one < two);
}

/* Lists halve: no deeper than 32. */
static void divide(struct halves *halves, uint32_t *list, size_t count) {
  size_t half = count / 2;
  if (count <= SHORT)
    return;
  for (int i = 0; i < ROUNDS && exchange_some(halves, list, count, half); i++)
    continue;
  qsort(list, half, sizeof *list, by_rank);
  qsort(list + half, count - half, sizeof *list, by_rank);
  divide(halves, list, half);
  divide(halves, list + half, count - half);
}

bool halves_exchange(const struct runs *runs, uint32_t *list) {
  struct halves halves;
  size_t count = runs_functions(runs);
  uint32_t *ranks = malloc((count + 1) * sizeof *ranks);
  bool right = halves_new(&halves, runs, list) && ranks;
  if (right) {
    for (uint32_t i = 0; i < count; i++)
      ranks[i] = i;
    divide(&halves, ranks, count);
    for (size_t i = 0; i < count; i++)
      ranks[i] = list[ranks[i]];
    memcpy(list, ranks, count * sizeof *list);
  }
  free(ranks);
  halves_free(&halves);
  return right;
}
