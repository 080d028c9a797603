/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers of branches, and sequences of them by hash.
 */
#include "recorded.h"

#include <stdlib.h>

#include "../../base/buffer.h"
#include "../../base/map.h"
#include "../../base/error.h"

enum { DIFFERENT_MOST = 1 << 26, RECENT = 1 << 12 };

void recorded_begin(struct recorded *traces) {
  *traces = (struct recorded){.numbers = {.limit = DIFFERENT_MOST},
                              .list = {.limit = (size_t)1 << 31},
                              .places = {.limit = DIFFERENT_MOST},
                              .memory = {.limit = (size_t)1 << 31}};
}

void recorded_free(struct recorded *traces) {
  map_free(&traces->numbers);
  free(traces->recent);
  buffer_free(&traces->list);
  map_free(&traces->places);
  buffer_free(&traces->memory);
}

static uint32_t new_number(struct recorded *traces,
                           const struct sample_branch *branch) {
  bool is_new;
  size_t number = map_number(&traces->numbers,
                             (uint64_t[3]){branch->from, branch->to}, &is_new);
  return is_new && buffer_add(&traces->list, branch, sizeof *branch)
             ? 0
             : (uint32_t)number;
}

/* Returns 0 if there is no memory. */
static uint32_t number_of(struct recorded *traces,
                          const struct sample_branch *branch) {
  uint64_t hash = (branch->from ^ branch->to << 20) *
                  UINT64_C(0x9E3779B97F4A7C15) / ((uint64_t)1 << 52);
  struct recorded_branch *recent = &traces->recent[hash];
  if (recent->branch.from != branch->from || recent->branch.to != branch->to ||
      !recent->number)
    *recent = (struct recorded_branch){*branch, new_number(traces, branch)};
  return recent->number;
}

/* Traces begin at multiples of 8. */
static size_t size_of(const struct sample_trace *trace) {
  return sizeof *trace + ((trace->branches + 1u) & ~1u) * sizeof(uint32_t);
}

static struct sample_trace *trace_at(const struct recorded *traces, size_t at) {
  return (void *)(traces->memory.data + at);
}

static bool is_same(const struct sample_trace *known,
                    const struct sample_trace *trace, const uint32_t *numbers) {
  return known->pc == trace->pc && known->chain == trace->chain &&
         known->branches == trace->branches &&
         memcmp(known + 1, numbers, trace->branches * sizeof *numbers) == 0;
}

const char *recorded_end(struct recorded *traces) {
  const struct sample_trace *trace = &traces->waiting;
  const uint32_t *numbers = traces->waiting_numbers;
  if (!trace->branches)
    return NULL;
  uint64_t *place = map_at(&traces->places, traces->waiting_hash, trace->chain,
                           trace->branches);
  if (!place)
    return out_of_memory;
  struct sample_trace *known = *place ? trace_at(traces, *place - 1) : NULL;
  if (known && is_same(known, trace, numbers)) {
    known->count += trace->count;
    traces->waiting.branches = 0;
    return NULL;
  }
  *place = traces->memory.size + 1;
  const char *error = buffer_reserve(&traces->memory, size_of(trace));
  if (!error)
    error = buffer_add(&traces->memory, trace, sizeof *trace);
  if (!error)
    error =
        buffer_append(&traces->memory, numbers, size_of(trace) - sizeof *trace);
  traces->waiting.branches = 0;
  return error;
}

const char *recorded_add(struct recorded *traces,
                         const struct sample_trace *trace,
                         const struct sample_branch *branches) {
  uint32_t numbers[SAMPLES_BRANCHES_MOST + 1];
  uint64_t hash = trace->pc;
  if (!traces->recent)
    traces->recent = calloc(RECENT, sizeof *traces->recent);
  if (!traces->recent)
    return out_of_memory;
  for (uint32_t i = 0; i < trace->branches; i++) {
    numbers[i] = number_of(traces, &branches[i]);
    if (!numbers[i])
      return out_of_memory;
    hash = (hash ^ numbers[i]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
  }
  numbers[trace->branches] = 0;
  map_ahead(&traces->places, hash, trace->chain, trace->branches);
  const char *error = recorded_end(traces);
  traces->waiting = *trace;
  traces->waiting_hash = hash;
  memcpy(traces->waiting_numbers, numbers,
         (trace->branches + 1) * sizeof *numbers);
  return error;
}

const struct sample_trace *recorded_next(const struct recorded *traces,
                                         size_t *at, const uint32_t **numbers) {
  if (*at >= traces->memory.size)
    return NULL;
  const struct sample_trace *trace = trace_at(traces, *at);
  *numbers = (const void *)(trace + 1);
  *at += size_of(trace);
  return trace;
}
