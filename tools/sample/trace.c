/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples with branches, each different one once.
 */
#include <string.h>

#include "input.h"

static const char no_memory[] =
    "more different samples than there is memory for; give fewer of them";

/* Where these words are already, or NULL. */
static struct sample_trace *find_trace(struct samples *samples, uint64_t *place,
                                       const struct sample_trace *trace,
                                       const uint64_t *words) {
  if (!*place)
    return NULL;
  struct sample_trace *known = (void *)(samples->traces.data + *place - 1);
  size_t size = (trace->depth + 2 * trace->branches) * sizeof *words;
  return known->depth == trace->depth && known->branches == trace->branches &&
                 memcmp(known + 1, words, size) == 0
             ? known
             : NULL;
}

static uint64_t hash_words(const uint64_t *words, size_t count) {
  uint64_t hash = count;
  for (size_t i = 0; i < count; i++) {
    hash = (hash ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
  }
  return hash;
}

static const char *keep_trace(struct samples *samples,
                              const struct sample_trace *trace,
                              const uint64_t *words) {
  size_t count = trace->depth + 2 * trace->branches;
  uint64_t *place = sample_map_at(&samples->known_traces,
                                  hash_words(words, count), trace->depth, 0);
  if (!place)
    return no_memory;
  struct sample_trace *known = find_trace(samples, place, trace, words);
  if (known) {
    known->count += trace->count;
    return NULL;
  }
  *place = samples->traces.size + 1;
  const char *error = buffer_append(&samples->traces, trace, sizeof *trace);
  return error ? error
               : buffer_append(&samples->traces, words, count * sizeof *words);
}

const char *samples_add_trace(struct samples *samples,
                              const struct sample_taken *taken,
                              const struct sample_branch *branches,
                              size_t count) {
  uint64_t words[SAMPLES_DEPTH_MOST + 1 + 2 * SAMPLES_BRANCHES_MOST];
  struct sample_trace trace = {.count = taken->count};
  const char *error = samples_add(samples, taken);
  if (error || !count || !taken->count)
    return error;
  while (trace.depth < taken->depth &&
         (!trace.depth || taken->stack[trace.depth])) {
    words[trace.depth] = taken->stack[trace.depth] - samples->offset;
    trace.depth++;
  }
  uint64_t *at = words + trace.depth;
  trace.branches = count;
  for (size_t i = 0; i < count; i++) {
    *at++ = branches[i].from - samples->offset;
    *at++ = branches[i].to - samples->offset;
  }
  samples->traced += taken->count;
  return keep_trace(samples, &trace, words);
}
