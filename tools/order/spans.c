/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Spans and parts, made of runs.
 */
#include "spans.h"

#include <stdlib.h>

/* More calls than these are no better, and take long. */
enum { CALLS_MOST = 1 << 20 };

static int by_weight(const void *a, const void *b) {
  const struct run *one = *(const struct run *const *)a;
  const struct run *two = *(const struct run *const *)b;
  if (one->weight != two->weight)
    return one->weight > two->weight ? -1 : 1;
  return (one->hash > two->hash) - (one->hash < two->hash);
}

struct chosen {
  const struct run **list;
  size_t count, calls;
};

static struct chosen heaviest(const struct runs *runs) {
  struct chosen chosen = {malloc((runs_count(runs) + 1) * sizeof *chosen.list),
                          0, 0};
  if (!chosen.list)
    return chosen;
  for (size_t i = 0; i < runs_count(runs); i++)
    chosen.list[i] = runs_at(runs, i);
  qsort(chosen.list, runs_count(runs), sizeof *chosen.list, by_weight);
  while (chosen.count < runs_count(runs) && chosen.calls < CALLS_MOST)
    chosen.calls += chosen.list[chosen.count++]->count;
  return chosen;
}

/* The first span that has the call of this number. */
static uint32_t span_of(uint32_t call) {
  uint32_t span = 0;
  while ((call + 1) >> (span + 1))
    span++;
  return span;
}

static bool take_memory(struct halves *halves, const struct runs *runs,
                        const struct chosen *chosen) {
  size_t functions = runs_functions(runs), spans = 0;
  for (size_t i = 0; i < chosen->count; i++)
    spans += span_of(chosen->list[i]->count - 1) + 1;
  halves->parts = malloc((chosen->calls + 1) * sizeof *halves->parts);
  halves->first = calloc(functions + 2, sizeof *halves->first);
  halves->spans = calloc(spans + 1, sizeof *halves->spans);
  halves->first_span = calloc(chosen->count + 1, sizeof *halves->first_span);
  halves->weights = calloc(chosen->count + 1, sizeof *halves->weights);
  halves->touched = malloc((chosen->count + 1) * sizeof *halves->touched);
  halves->worth = logarithms(functions + 3);
  halves->moves = malloc((functions + 1) * sizeof *halves->moves);
  return halves->parts && halves->first && halves->spans &&
         halves->first_span && halves->weights && halves->touched &&
         halves->worth && halves->moves;
}

/* The parts of a rank begin where those of the one before end: at first[rank +
 * 1] while they are filled in, which makes it first[rank + 1] of the next. */
static void fill_parts(struct halves *halves, const struct runs *runs,
                       const struct chosen *chosen, const uint32_t *ranks) {
  for (size_t i = 0; i < chosen->count; i++)
    for (uint32_t j = 0; j < chosen->list[i]->count; j++)
      halves->first[ranks[run_calls(runs, chosen->list[i])[j]] + 2]++;
  /* The last two are the same then. */
  for (size_t i = 1; i < runs_functions(runs) + 1; i++)
    halves->first[i + 1] += halves->first[i];
  for (size_t i = 0; i < chosen->count; i++)
    for (uint32_t j = 0; j < chosen->list[i]->count; j++) {
      uint32_t rank = ranks[run_calls(runs, chosen->list[i])[j]];
      halves->parts[halves->first[rank + 1]++] =
          (struct part){(uint32_t)i, span_of(j)};
    }
}

static void fill(struct halves *halves, const struct runs *runs,
                 const struct chosen *chosen, const uint32_t *ranks) {
  for (size_t i = 0; i < chosen->count; i++) {
    const struct run *run = chosen->list[i];
    halves->weights[i] = run->weight / chosen->list[0]->weight;
    halves->first_span[i + 1] =
        halves->first_span[i] + span_of(run->count - 1) + 1;
  }
  for (size_t i = 0; i < runs_functions(runs) + 2; i++)
    halves->worth[i] = (double)i * halves->worth[i + 1];
  fill_parts(halves, runs, chosen, ranks);
}

bool halves_new(struct halves *halves, const struct runs *runs,
                const uint32_t *list) {
  size_t functions = runs_functions(runs);
  *halves = (struct halves){.parts = NULL};
  struct chosen chosen = heaviest(runs);
  uint32_t *ranks = malloc((functions + 1) * sizeof *ranks);
  bool right = chosen.list && ranks && take_memory(halves, runs, &chosen);
  for (uint32_t i = 0; right && i < functions; i++)
    ranks[list[i]] = i;
  if (right)
    fill(halves, runs, &chosen, ranks);
  free(ranks);
  free(chosen.list);
  return right;
}

void halves_free(struct halves *halves) {
  free(halves->parts);
  free(halves->first);
  free(halves->spans);
  free(halves->first_span);
  free(halves->weights);
  free(halves->touched);
  free(halves->worth);
  free(halves->moves);
}
