/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Merging and trimming cold contexts, as llvm-profgen does it.
 */
#include "sampled.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/error.h"

/* ---- the threshold ---- */

ORDER_BY(counts_falling, uint64_t, ~*x);

static size_t line_sum(const struct sampled *profile) {
  size_t sum = 0;
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next)
    sum += function->line_count;
  return sum;
}

/* Finds LLVM's threshold of hot counts: the smallest count needed for 99 % of
 * the sum of all counts. Counts of all contexts of a function are taken
 * together. profile is finished. Returns NULL or the error. */
static const char *cold_threshold(const struct sampled *profile,
                                  uint64_t *below) {
  struct sampled together;
  double sum = 0, so_far = 0;
  size_t count = 0;
  *below = 0;
  const char *error = sampled_flatten(&together, profile);
  uint64_t *counts = calloc(line_sum(&together) + 1, sizeof *counts);
  if (!counts)
    error = out_of_memory;
  for (struct sampled_function *function = together.functions;
       function && !error; function = function->next)
    for (struct sampled_line *line = function->lines; line; line = line->next) {
      counts[count++] = line->count;
      sum += (double)line->count;
    }
  if (!error)
    qsort(counts, count, sizeof *counts, counts_falling);
  for (size_t i = 0; i < count && so_far < 0.99 * sum; i++) {
    so_far += (double)counts[i];
    *below = counts[i];
  }
  free(counts);
  sampled_free(&together);
  return error;
}

/* ---- merging ---- */

/* The last frames of a context, which does not have the function's own. */
static const char *last_frames(const char *context, unsigned depth) {
  const char *at = context + strlen(context);
  if (depth <= 1)
    return at;
  for (unsigned left = depth - 1; at > context; at--)
    if (strncmp(at, " @ ", 3) == 0 && --left == 0)
      return at + 3;
  return context;
}

/* Contexts of a merged function differ in inlining, so it has no attributes. */
static const char *add_function(struct sampled *to,
                                const struct sampled_function *from, bool cold,
                                unsigned depth) {
  struct sampled_copy copy = {.to = to};
  struct sampled_function *made;
  const char *error = sampled_copy_function(
      &copy, from, cold ? last_frames(from->context, depth) : from->context,
      &made);
  if (!error && !cold)
    made->attributes = from->attributes;
  return error;
}

/* Nothing that is not cold is below, with what was added to it or without. */
static void trim_cold(struct sampled *profile, uint64_t below) {
  struct sampled_function **at = &profile->functions;
  while (*at)
    if ((*at)->total < below) {
      *at = (*at)->next;
      profile->function_count--;
    } else {
      at = &(*at)->next;
    }
}

const char *cold_merge(struct sampled *to, const struct sampled *from,
                       const struct cold_settings *settings) {
  uint64_t below = settings->below;
  const char *error = settings->has_below ? NULL : cold_threshold(from, &below);
  for (const struct sampled_function *function = from->functions;
       function && !error; function = function->next)
    error = add_function(to, function,
                         settings->merge && function->context &&
                             function->total < below,
                         settings->depth);
  if (!error)
    error = sampled_finish(to, 1);
  if (!error && settings->trim)
    trim_cold(to, below);
  return error;
}

const char *sampled_flatten(struct sampled *to, const struct sampled *from) {
  const struct cold_settings all = {
      .has_below = true, .merge = true, .below = UINT64_MAX, .depth = 1};
  sampled_begin(to);
  return cold_merge(to, from, &all);
}
