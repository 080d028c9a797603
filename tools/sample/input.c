/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Folding samples, whatever file they come from.
 */
#include "input.h"

#include <string.h>

static const char no_memory[] =
    "more different samples than there is memory for; give fewer of them";

enum { DIFFERENT_MOST = 1 << 26 };

void samples_begin(struct samples *samples) {
  *samples = (struct samples){
      .folded = {.limit = DIFFERENT_MOST},
      .callers = {.limit = DIFFERENT_MOST},
      .caller_memory = {.limit = DIFFERENT_MOST * sizeof(struct sample_caller)},
      .known_traces = {.limit = DIFFERENT_MOST},
      .traces = {.limit = (size_t)1 << 31},
  };
  flow_begin(&samples->flow);
}

void samples_free(struct samples *samples) {
  sample_fold_free(&samples->folded);
  map_free(&samples->callers);
  map_free(&samples->known_traces);
  buffer_free(&samples->caller_memory);
  buffer_free(&samples->traces);
  flow_free(&samples->flow);
  samples->list = NULL;
}

/* The number of this caller within these. */
static uint32_t caller(struct samples *samples, uint64_t address,
                       uint32_t outer) {
  const struct sample_caller made = {address, outer};
  uint64_t *number = map_at(&samples->callers, address, outer, 0);
  if (!number)
    return UINT32_MAX;
  if (*number)
    return (uint32_t)*number;
  if (!samples->caller_memory.size &&
      buffer_append(&samples->caller_memory, &(struct sample_caller){0, 0},
                    sizeof made))
    return UINT32_MAX;
  *number = samples->caller_memory.size / sizeof made;
  if (buffer_append(&samples->caller_memory, &made, sizeof made))
    return UINT32_MAX;
  return (uint32_t)*number;
}

const char *samples_add(struct samples *samples,
                        const struct sample_taken *taken) {
  uint32_t chain = 0;
  size_t depth = 1;
  while (depth < taken->depth && taken->stack[depth])
    depth++;
  if (!taken->depth || !taken->count)
    return NULL;
  while (--depth > 0) {
    chain = caller(samples, taken->stack[depth] - samples->offset, chain);
    if (chain == UINT32_MAX)
      return no_memory;
  }
  uint64_t ra = taken->ra ? taken->ra - samples->offset : 0;
  if (taken->count > (UINT64_MAX >> 16) - samples->total)
    return "its counts add up to more than 48 bits hold; correct them";
  const struct sample sample = {taken->stack[0] - samples->offset, ra,
                                taken->count, chain};
  if (!sample_fold_add(&samples->folded, &sample))
    return no_memory;
  samples->total += taken->count;
  return NULL;
}

const char *samples_finish(struct samples *samples) {
  if (!sample_fold_finish(&samples->folded))
    return no_memory;
  samples->list = samples->folded.list;
  samples->count = samples->folded.count;
  samples->chains = (const void *)samples->caller_memory.data;
  return NULL;
}

const char *samples_read(struct samples *samples, struct bytes file,
                         enum samples_form form, size_t *line) {
  static const unsigned char magic[4] = {0xFA, 'B', 'P', 'S'};
  *line = 0;
  if (form == SAMPLES_AUTO && file.size >= 4 && !memcmp(file.data, magic, 4))
    form = SAMPLES_TARGET;
  if (form == SAMPLES_AUTO)
    form = samples_form_of(file);
  switch (form) {
  case SAMPLES_TARGET:
    return samples_read_target(samples, file);
  case SAMPLES_PERF:
    return samples_read_perf(samples, file, line);
  case SAMPLES_RANGES:
    return samples_read_ranges(samples, file, line);
  default:
    return samples_read_plain(samples, file, line);
  }
}

/* ==== Samples with branches, each different one once. */

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
  uint64_t *place =
      map_at(&samples->known_traces, hash_words(words, count), trace->depth, 0);
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
