/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How much was counted, and how many of the largest counts make up most of it.
 * The counts of all contexts of a function are one then.
 */
#include <stdlib.h>

#include "binary_inside.h"
#include "cold.h"

enum { DUPLICATED = 4 }; /* an attribute: it is counted elsewhere, too */

struct sums {
  struct buffer counts; /* uint64_t: of all lines */
  uint64_t total, most, most_entries;
};

/* As deep as functions are inlined, PROBE_DEPTH_MOST. */
static const char *add(struct sums *sums,
                       const struct sampled_function *function) {
  const char *error = NULL;
  for (const struct sampled_line *line = function->lines; line && !error;
       line = line->next) {
    error = buffer_append(&sums->counts, &line->count, sizeof line->count);
    sums->total += line->count;
    sums->most = line->count > sums->most ? line->count : sums->most;
  }
  for (const struct sampled_function *inlined = function->inlined;
       inlined && !error; inlined = inlined->next)
    if (!(inlined->attributes & DUPLICATED))
      error = add(sums, inlined);
  return error;
}

static const char *add_all(struct sums *sums, const struct sampled *profile) {
  const char *error = NULL;
  for (const struct sampled_function *function = profile->functions;
       function && !error; function = function->next) {
    error = add(sums, function);
    if (function->head_count > sums->most_entries)
      sums->most_entries = function->head_count;
  }
  return error;
}

static int falling(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a > b ? -1 : a < b;
}

/* How many of the largest counts make up how many millionths of all, and the
 * least of these; equal ones are taken together. */
static void put(struct writing *of, const struct sums *sums,
                uint32_t functions) {
  static const uint32_t parts[] = {
      10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
      800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999};
  uint64_t *counts = (void *)sums->counts.data, sum = 0, least = 0;
  size_t count = sums->counts.size / sizeof *counts, seen = 0;
  if (count)
    qsort(counts, count, sizeof *counts, falling);
  binary_put_uleb(of, sums->total);
  binary_put_uleb(of, sums->most);
  binary_put_uleb(of, sums->most_entries);
  binary_put_uleb(of, count);
  binary_put_uleb(of, functions);
  binary_put_uleb(of, sizeof parts / sizeof *parts);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    uint64_t wanted = sums->total / 1000000 * parts[i] +
                      sums->total % 1000000 * parts[i] / 1000000;
    while (sum < wanted && seen < count) {
      least = counts[seen];
      for (; seen < count && counts[seen] == least; seen++)
        sum += least;
    }
    binary_put_uleb(of, parts[i]);
    binary_put_uleb(of, least);
    binary_put_uleb(of, seen);
  }
}

void binary_put_summary(struct writing *of) {
  const struct cold_wishes all = {
      .has_below = true, .merge = true, .below = UINT64_MAX, .depth = 1};
  struct sums sums = {.counts = {.limit = (size_t)1 << 31}};
  struct sampled together;
  const struct sampled *profile = of->profile;
  const char *error = NULL;
  sampled_begin(&together);
  if (of->names.contexts) {
    error = cold_merge(&together, profile, &all);
    profile = &together;
  }
  if (!error)
    error = add_all(&sums, profile);
  if (!error)
    put(of, &sums, profile->function_count);
  else if (!of->error)
    of->error = error;
  sampled_free(&together);
  buffer_free(&sums.counts);
}
