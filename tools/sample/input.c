/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Folding samples, whatever file they come from.
 */
#include "input.h"

#include <stdlib.h>
#include <string.h>

static const char no_memory[] =
    "more different samples than there is memory for; give fewer of them";

enum { DIFFERENT_MOST = 1 << 26 };

void samples_begin(struct samples *samples) {
  *samples = (struct samples){
      .folded = {.limit = DIFFERENT_MOST},
      .callers = {.limit = DIFFERENT_MOST},
      .caller_memory = {.limit = DIFFERENT_MOST * sizeof(struct sample_caller)},
  };
}

void samples_free(struct samples *samples) {
  sample_map_free(&samples->folded);
  sample_map_free(&samples->callers);
  buffer_free(&samples->caller_memory);
  free(samples->list);
  samples->list = NULL;
}

/* The number of this caller within these. */
static uint32_t caller(struct samples *samples, uint64_t address,
                       uint32_t outer) {
  const struct sample_caller made = {address, outer};
  uint64_t *number = sample_map_at(&samples->callers, address, outer, 0);
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
  uint64_t *count = sample_map_at(&samples->folded,
                                  taken->stack[0] - samples->offset, ra, chain);
  if (!count)
    return no_memory;
  if (taken->count > (UINT64_MAX >> 16) - samples->total)
    return "its counts add up to more than 48 bits hold; correct them";
  *count += taken->count;
  samples->total += taken->count;
  return NULL;
}

static int compare(const void *left, const void *right) {
  const struct sample *a = left, *b = right;
  if (a->pc != b->pc)
    return a->pc < b->pc ? -1 : 1;
  if (a->ra != b->ra)
    return a->ra < b->ra ? -1 : 1;
  return a->chain < b->chain ? -1 : a->chain > b->chain;
}

const char *samples_finish(struct samples *samples) {
  const struct sample_map *map = &samples->folded;
  samples->list = calloc(map->count + 1, sizeof *samples->list);
  if (!samples->list)
    return no_memory;
  for (size_t i = 0; i < map->places; i++)
    if (map->entries[i].used)
      samples->list[samples->count++] = (struct sample){
          map->entries[i].key[0], map->entries[i].key[1], map->entries[i].value,
          (uint32_t)map->entries[i].key[2]};
  qsort(samples->list, samples->count, sizeof *samples->list, compare);
  samples->chains = (const void *)samples->caller_memory.data;
  return NULL;
}

const char *samples_read(struct samples *samples, struct bytes file,
                         enum samples_form form, size_t *line) {
  static const unsigned char magic[4] = {0xFA, 'B', 'P', 'S'};
  *line = 0;
  if (form == SAMPLES_AUTO && file.size >= 4 && !memcmp(file.data, magic, 4))
    form = SAMPLES_TARGET;
  if (form == SAMPLES_AUTO && samples_is_perf(file))
    form = SAMPLES_PERF;
  if (form == SAMPLES_TARGET)
    return samples_read_target(samples, file);
  return form == SAMPLES_PERF ? samples_read_perf(samples, file, line)
                              : samples_read_plain(samples, file, line);
}
