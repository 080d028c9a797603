/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Collects runs. Functions are numbered as they arrive, and a table finds them
 * by the MD5 of their names.
 */
#include "order.h"

#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/map.h"
#include "../base/compare.h"
#include "../object/digest.h"

void runs_new(struct runs *runs) {
  *runs = (struct runs){.arena.limit = SIZE_MAX / 2,
                        .functions.limit = SIZE_MAX / 2,
                        .calls.limit = SIZE_MAX / 2,
                        .list.limit = SIZE_MAX / 2,
                        .numbers.limit = UINT32_MAX - 1};
}

void runs_free(struct runs *runs) {
  arena_free(&runs->arena);
  buffer_free(&runs->functions);
  buffer_free(&runs->calls);
  buffer_free(&runs->list);
  map_free(&runs->numbers);
}

/* ---- functions ---- */

static struct called *functions_of(const struct runs *runs) {
  return (void *)runs->functions.data;
}

size_t runs_functions(const struct runs *runs) {
  return runs->functions.size / sizeof(struct called);
}

const char *runs_name(const struct runs *runs, uint32_t function) {
  return functions_of(runs)[function].name;
}

uint32_t runs_number(struct runs *runs, const char *name, size_t name_size,
                     uint64_t reference) {
  struct called new = {.reference = reference};
  bool is_new;
  size_t number = map_number(&runs->numbers, (uint64_t[3]){reference}, &is_new);
  if (!is_new)
    return (uint32_t)number;
  new.name = arena_copy(&runs->arena, name, name_size);
  return !new.name || buffer_append(&runs->functions, &new, sizeof new)
             ? 0
             : (uint32_t)number;
}

/* ---- runs ---- */

static struct traced_run *list_of(const struct runs *runs) {
  return (void *)runs->list.data;
}

size_t runs_count(const struct runs *runs) {
  return runs->list.size / sizeof(struct traced_run);
}

const struct traced_run *runs_at(const struct runs *runs, size_t i) {
  return &list_of(runs)[i];
}

const uint32_t *run_calls(const struct runs *runs,
                          const struct traced_run *run) {
  return (const uint32_t *)(const void *)runs->calls.data + run->first;
}

bool runs_begin(struct runs *runs, uint64_t weight) {
  const struct traced_run run = {.weight = (double)weight,
                                 .first = runs->calls.size / sizeof(uint32_t)};
  return !buffer_append(&runs->list, &run, sizeof run);
}

bool runs_call(struct runs *runs, const char *name, size_t name_size) {
  return runs_call_number(
      runs, runs_number(runs, name, name_size, md5_low64(name, name_size)));
}

bool runs_call_number(struct runs *runs, uint32_t number) {
  if (!number--)
    return false;
  struct called *function = &functions_of(runs)[number];
  struct traced_run *run = &list_of(runs)[runs_count(runs) - 1];
  if (function->stamp == runs_count(runs))
    return true;
  function->stamp = runs_count(runs);
  run->hash = (run->hash ^ function->reference) * UINT64_C(0x9E3779B97F4A7C15);
  run->hash ^= run->hash >> 29;
  run->count++;
  return !buffer_add(&runs->calls, &number, sizeof number);
}

ORDER_BY(by_calls, struct traced_run, x->hash, x->count);

static bool same_calls(const struct runs *runs, const struct traced_run *a,
                       const struct traced_run *b) {
  return by_calls(a, b) == 0 && !memcmp(run_calls(runs, a), run_calls(runs, b),
                                        a->count * sizeof(uint32_t));
}

void runs_fold(struct runs *runs) {
  struct traced_run *list = list_of(runs);
  size_t kept = 0;
  if (list)
    qsort(list, runs_count(runs), sizeof *list, by_calls);
  for (size_t i = 0; i < runs_count(runs); i++) {
    if (list[i].count == 0 || list[i].weight == 0)
      continue;
    if (kept && same_calls(runs, &list[kept - 1], &list[i]))
      list[kept - 1].weight += list[i].weight;
    else
      list[kept++] = list[i];
  }
  runs->list.size = kept * sizeof *list;
}
