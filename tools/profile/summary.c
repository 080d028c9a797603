/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts are gathered by how often each occurs, of which there are far fewer
 * than counts, and then walked from the largest down. What is gathered is
 * sorted, and the same made one, whenever the room is at its end: no choice
 * of counts takes longer than others, as in a hash table.
 */
#include "summary.h"

#include <stdlib.h>

#include "keyed.h"

/* Counts below SMALL, which most are, have a place each. */
enum { SMALL = 1 << 12, FIRST_ROOM = 1 << 12 };

struct levels {
  struct keyed *list; /* counts, and how many places have each */
  size_t used, room;
  uint64_t small[SMALL];
};

/* Sorts the list, and makes each count one. */
static bool fold(struct levels *levels) {
  struct keyed *spare = malloc((levels->used + 1) * sizeof *spare);
  size_t kept = 0;
  if (!spare)
    return false;
  if (levels->used)
    keyed_sort(levels->list, spare, levels->used);
  free(spare);
  for (size_t i = 0; i < levels->used; i++)
    if (kept && levels->list[kept - 1].key == levels->list[i].key)
      levels->list[kept - 1].item += levels->list[i].item;
    else
      levels->list[kept++] = levels->list[i];
  levels->used = kept;
  return true;
}

/* Room for one more. */
static bool make_room(struct levels *levels) {
  if (levels->used < levels->room)
    return true;
  if (levels->room && !fold(levels))
    return false;
  if (levels->used <= levels->room / 2 && levels->room)
    return true;
  size_t room = levels->room ? 2 * levels->room : (size_t)FIRST_ROOM;
  struct keyed *list = realloc(levels->list, room * sizeof *list);
  if (!list)
    return false;
  levels->list = list;
  levels->room = room;
  return true;
}

static bool add_count(struct levels *levels, uint64_t count, uint64_t places) {
  if (!make_room(levels))
    return false;
  levels->list[levels->used++] = (struct keyed){count, places};
  return true;
}

static bool add_record(struct summary *summary, struct levels *levels,
                       const struct counts *counts) {
  /* A first counter beyond what is counted is a mark, not a count. */
  if (counts_pseudo(counts->counters, counts->counter_count))
    return true;
  for (uint32_t i = 0; i < counts->counter_count; i++) {
    uint64_t count = counts->counters[i];
    uint64_t *most = i ? &summary->most_internal : &summary->most_entry;
    *most = count > *most ? count : *most;
    summary->most = count > summary->most ? count : summary->most;
    summary->total += count;
    if (count < SMALL)
      levels->small[count]++;
    else if (!add_count(levels, count, 1))
      return false;
  }
  summary->blocks += counts->counter_count;
  summary->functions++;
  return true;
}

/* total * cutoff / 1,000,000, which is less than total. */
static uint64_t part_of(uint64_t total, uint32_t cutoff) {
  return total / 1000000 * cutoff + total % 1000000 * cutoff / 1000000;
}

static bool walk(struct summary *summary, struct levels *levels) {
  static const uint32_t cutoffs[SUMMARY_CUTOFFS] = {
      10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
      800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999};
  uint64_t sum = 0, count = 0, places = 0;
  for (uint64_t i = 0; i < SMALL; i++)
    if (levels->small[i] && !add_count(levels, i, levels->small[i]))
      return false;
  if (!fold(levels))
    return false;
  size_t left = levels->used;
  for (unsigned i = 0; i < SUMMARY_CUTOFFS; i++) {
    uint64_t wanted = part_of(summary->total, cutoffs[i]);
    while (sum < wanted && left) {
      const struct keyed *level = &levels->list[--left];
      count = level->key;
      sum += count * level->item;
      places += level->item;
    }
    summary->cutoffs[i] = (struct summary_cutoff){cutoffs[i], count, places};
  }
  return true;
}

bool summary_make(struct summary *summary, struct functions_list functions,
                  enum summary_part part) {
  struct levels *levels = calloc(1, sizeof *levels);
  bool done = levels != NULL;
  *summary = (struct summary){0};
  for (size_t i = 0; i < functions.count && done; i++) {
    if (i + FUNCTIONS_AHEAD < functions.count)
      function_ahead(functions.list[i + FUNCTIONS_AHEAD]);
    for (const struct counts *counts = functions.list[i]->counts;
         counts && done; counts = counts->next)
      if (part == SUMMARY_ALL ||
          !(counts->hash & PROFILE_CS_HASH) == (part == SUMMARY_REGULAR))
        done = add_record(summary, levels, counts);
  }
  done = done && walk(summary, levels);
  if (levels)
    free(levels->list);
  free(levels);
  return done;
}
