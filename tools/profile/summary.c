/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts are gathered by how often each occurs, of which there are far fewer
 * than counts, and then walked from the largest down.
 */
#include "summary.h"

#include <stdlib.h>

/* A count, and how many places have it. */
struct level {
  uint64_t count;
  uint64_t places; /* 0: this one is free */
};

/* A hash table. */
struct levels {
  struct level *list;
  size_t size, used; /* size is a power of two */
};

static struct level *find(const struct levels *levels, uint64_t count) {
  size_t at = (size_t)(count * UINT64_C(0x9E3779B97F4A7C15) >> 32);
  struct level *level = &levels->list[at & (levels->size - 1)];
  while (level->places && level->count != count)
    level = &levels->list[++at & (levels->size - 1)];
  return level;
}

static bool grow(struct levels *levels) {
  struct levels larger = {.size = levels->size ? 2 * levels->size : 1024,
                          .used = levels->used};
  larger.list = calloc(larger.size, sizeof *larger.list);
  if (!larger.list)
    return false;
  for (size_t i = 0; i < levels->size; i++)
    if (levels->list[i].places)
      *find(&larger, levels->list[i].count) = levels->list[i];
  free(levels->list);
  *levels = larger;
  return true;
}

static bool add_count(struct levels *levels, uint64_t count) {
  if (levels->used >= levels->size / 2 && !grow(levels))
    return false;
  struct level *level = find(levels, count);
  if (!level->places)
    levels->used++;
  level->count = count;
  level->places++;
  return true;
}

static bool add_record(struct summary *summary, struct levels *levels,
                       const struct counts *counts) {
  /* A first counter beyond what is counted is a mark, not a count. */
  if (counts->counter_count && counts->counters[0] > PROFILE_COUNT_MOST)
    return true;
  for (uint32_t i = 0; i < counts->counter_count; i++) {
    uint64_t count = counts->counters[i];
    uint64_t *most = i ? &summary->most_internal : &summary->most_entry;
    *most = count > *most ? count : *most;
    summary->most = count > summary->most ? count : summary->most;
    summary->total += count;
    if (!add_count(levels, count))
      return false;
  }
  summary->blocks += counts->counter_count;
  summary->functions++;
  return true;
}

static int from_largest(const void *a, const void *b) {
  const struct level *one = a, *two = b;
  return (one->count < two->count) - (one->count > two->count);
}

/* total * cutoff / 1,000,000, which is less than total. */
static uint64_t part_of(uint64_t total, uint32_t cutoff) {
  return total / 1000000 * cutoff + total % 1000000 * cutoff / 1000000;
}

static void walk(struct summary *summary, struct levels *levels) {
  static const uint32_t cutoffs[SUMMARY_CUTOFFS] = {
      10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
      800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999};
  uint64_t sum = 0, count = 0, places = 0;
  size_t next = 0;
  for (size_t i = 0; i < levels->size; i++)
    if (levels->list[i].places)
      levels->list[next++] = levels->list[i];
  if (next)
    qsort(levels->list, next, sizeof *levels->list, from_largest);
  next = 0;
  for (unsigned i = 0; i < SUMMARY_CUTOFFS; i++) {
    uint64_t wanted = part_of(summary->total, cutoffs[i]);
    for (; sum < wanted && next < levels->used; next++) {
      count = levels->list[next].count;
      sum += count * levels->list[next].places;
      places += levels->list[next].places;
    }
    summary->cutoffs[i] = (struct summary_cutoff){cutoffs[i], count, places};
  }
}

bool summary_make(struct summary *summary, struct functions_list functions,
                  bool context_sensitive) {
  struct levels levels = {0};
  bool done = true;
  *summary = (struct summary){0};
  for (size_t i = 0; i < functions.count && done; i++)
    for (const struct counts *counts = functions.list[i]->counts;
         counts && done; counts = counts->next)
      if (!(counts->hash & PROFILE_CS_HASH) == !context_sensitive)
        done = add_record(summary, &levels, counts);
  if (done)
    walk(summary, &levels);
  free(levels.list);
  return done;
}
