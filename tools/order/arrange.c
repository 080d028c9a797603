/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The order of means. Logarithms are computed here, as the host's may differ
 * in their last bit, and the order must not.
 */
#include "arrange.h"

#include <stdlib.h>
#include <string.h>

enum { FRACTION = 28 }; /* bits behind the point */

/* Squares the rest again and again: each time it exceeds 2 is a bit. */
static double logarithm(size_t number) {
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

double *logarithms(size_t most) {
  double *list = malloc((most + 1) * sizeof *list);
  for (size_t i = 0; list && i <= most; i++)
    list[i] = i ? logarithm(i) : 0;
  return list;
}

struct mean {
  double gain; /* how much earlier than behind the end, summed up */
  const char *name;
  uint32_t function;
};

static int by_gain(const void *a, const void *b) {
  const struct mean *one = a, *two = b;
  if (one->gain != two->gain)
    return one->gain > two->gain ? -1 : 1;
  return strcmp(one->name, two->name);
}

/* The mean is smaller the larger the sum of these gains: what is behind the
 * end gains nothing. */
static void sum_gains(const struct runs *runs, const double *logarithm,
                      struct mean *means) {
  for (size_t i = 0; i < runs_count(runs); i++) {
    const struct run *run = runs_at(runs, i);
    const uint32_t *calls = run_calls(runs, run);
    for (uint32_t j = 0; j < run->count; j++)
      means[calls[j]].gain +=
          run->weight * (logarithm[run->count + 1] - logarithm[j + 1]);
  }
}

static uint32_t *order_of_means(const struct runs *runs) {
  size_t count = runs_functions(runs);
  double *logarithm = logarithms(count + 1);
  struct mean *means = malloc((count + 1) * sizeof *means);
  uint32_t *list = malloc((count + 1) * sizeof *list);
  if (logarithm && means && list) {
    for (uint32_t i = 0; i < count; i++)
      means[i] = (struct mean){0, runs_name(runs, i), i};
    sum_gains(runs, logarithm, means);
    qsort(means, count, sizeof *means, by_gain);
    for (size_t i = 0; i < count; i++)
      list[i] = means[i].function;
  } else {
    free(list);
    list = NULL;
  }
  free(means);
  free(logarithm);
  return list;
}

uint32_t *arrange(const struct runs *runs) {
  uint32_t *list = order_of_means(runs);
  if (list && !halves_exchange(runs, list)) {
    free(list);
    list = NULL;
  }
  return list;
}
