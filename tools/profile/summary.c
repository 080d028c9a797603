/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Computes the summary. First collects each distinct count with its frequency,
 * then walks over the distinct counts from the largest down. There are far
 * fewer distinct counts than counts. When the list is full, it is sorted and
 * equal counts are joined. A hash table could be slow for some choices of
 * counts. Also ranks the values of a site, and finds names by their references.
 */
#include "indexed.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/need.h"
#include "../object/digest.h"

/* Most counts are below SMALL, and each count below SMALL has its own element.
 * The list starts large, because unused space takes no memory, and because the
 * list is then usually sorted only once. */
enum { SMALL = 1 << 14, FIRST_ROOM = 1 << 20 };

struct count_histogram {
  struct keyed_item *list; /* distinct counts, and the number of places that
                              have each count */
  size_t used, room;
  uint64_t small[SMALL];
};

struct summary_builder {
  struct profile_summary summary;
  enum summary_part part;
  struct count_histogram levels;
};

/* Sorts the list, and joins equal counts. */
static void join_equal_counts(struct count_histogram *levels) {
  struct keyed_item *spare =
      need_memory(malloc((levels->used + 1) * sizeof *spare));
  size_t kept = 0;
  if (levels->used)
    keyed_sort(levels->list, spare, levels->used);
  free(spare);
  for (size_t i = 0; i < levels->used; i++)
    if (kept && levels->list[kept - 1].key == levels->list[i].key)
      levels->list[kept - 1].item += levels->list[i].item;
    else
      levels->list[kept++] = levels->list[i];
  levels->used = kept;
}

static void add_large_count(struct count_histogram *levels, uint64_t count) {
  if (levels->used == levels->room) {
    join_equal_counts(levels);
    if (levels->used >= levels->room / 2) {
      levels->room = levels->room ? 2 * levels->room : (size_t)FIRST_ROOM;
      levels->list = need_memory(
          realloc(levels->list, levels->room * sizeof *levels->list));
    }
  }
  levels->list[levels->used++] = (struct keyed_item){count, 1};
}

static void sum_up_record(struct profile_summary *summary,
                          struct count_histogram *levels,
                          const struct record_counts *counts) {
  /* A first counter above the largest count is a mark, not a count. */
  if (counts_are_pseudo(counts->counters, counts->counter_count))
    return;
  for (uint32_t i = 0; i < counts->counter_count; i++) {
    uint64_t count = counts->counters[i];
    uint64_t *most = i ? &summary->most_internal : &summary->most_entry;
    *most = count > *most ? count : *most;
    summary->most = count > summary->most ? count : summary->most;
    summary->total += count;
    if (count < SMALL)
      levels->small[count]++;
    else
      add_large_count(levels, count);
  }
  summary->blocks += counts->counter_count;
  summary->functions++;
}

/* Computes total * cutoff / 1,000,000 without overflow. */
static uint64_t cutoff_total(uint64_t total, uint32_t cutoff) {
  return total / 1000000 * cutoff + total % 1000000 * cutoff / 1000000;
}

/* Removes the largest level that remains: first large ones, then small ones. */
static struct keyed_item pop_largest_count(struct count_histogram *levels,
                                           uint64_t *small) {
  if (levels->used)
    return levels->list[--levels->used];
  while (*small && !levels->small[*small - 1])
    --*small;
  if (!*small)
    return (struct keyed_item){0, 0};
  --*small;
  return (struct keyed_item){*small, levels->small[*small]};
}

static void compute_cutoffs(struct profile_summary *summary,
                            struct count_histogram *levels) {
  static const uint32_t cutoffs[SUMMARY_CUTOFFS] = {
      10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
      800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999};
  uint64_t sum = 0, count = 0, places = 0, small = SMALL;
  join_equal_counts(levels);
  for (unsigned i = 0; i < SUMMARY_CUTOFFS; i++) {
    uint64_t wanted = cutoff_total(summary->total, cutoffs[i]);
    while (sum < wanted) {
      const struct keyed_item level = pop_largest_count(levels, &small);
      if (!level.item)
        break;
      count = level.key;
      sum += count * level.item;
      places += level.item;
    }
    summary->cutoffs[i] = (struct summary_cutoff){cutoffs[i], count, places};
  }
}

struct summary_builder *summary_builder_new(enum summary_part part) {
  struct summary_builder *summing = need_memory(calloc(1, sizeof *summing));
  summing->part = part;
  return summing;
}

void summary_builder_add(struct summary_builder *summing,
                         const struct function_entry *function) {
  for (const struct record_counts *counts = function->counts; counts;
       counts = counts->next)
    if (summing->part == SUMMARY_ALL ||
        !(counts->hash & PROFILE_CS_HASH) == (summing->part == SUMMARY_REGULAR))
      sum_up_record(&summing->summary, &summing->levels, counts);
}

void summary_builder_finish_and_free(struct summary_builder *summing,
                                     struct profile_summary *summary) {
  compute_cutoffs(&summing->summary, &summing->levels);
  *summary = summing->summary;
  free(summing->levels.list);
  free(summing);
}

/* ---- ranked values ---- */

ORDER_BY(compare_ranked, struct ranked_value, ~x->value.count, x->at);

void ranking_init(struct value_ranking *ranking,
                  const struct profile *profile) {
  ranking->most = profile->most_values;
  ranking->list =
      need_memory(malloc(((size_t)ranking->most + 1) * sizeof *ranking->list));
}

void ranking_free(struct value_ranking *ranking) { free(ranking->list); }

uint32_t ranking_rank_site(struct value_ranking *ranking,
                           const struct value_site *site) {
  bool sorted = true;
  for (uint32_t i = 0; i < site->count; i++) {
    ranking->list[i] = (struct ranked_value){site->values[i], i};
    sorted = sorted &&
             (i == 0 || site->values[i - 1].count >= site->values[i].count);
  }
  if (!sorted)
    qsort(ranking->list, site->count, sizeof *ranking->list, compare_ranked);
  return ranking_kept_value_count(site);
}

/* ---- functions and references ---- */

static bool has_only_zero_counts(const struct function_entry *function) {
  for (const struct record_counts *counts = function->counts; counts;
       counts = counts->next) {
    for (uint32_t i = 0; i < counts->counter_count; i++)
      if (counts->counters[i])
        return false;
    for (uint32_t i = 0; i < counts->more->bitmap_size; i++)
      if (counts->more->bitmap[i])
        return false;
  }
  return true;
}

bool profile_must_write_function(const struct function_entry *function,
                                 bool sparse) {
  return function->counts && !(sparse && has_only_zero_counts(function));
}

struct functions_list
profile_list_written_functions(const struct profile *profile, bool sparse) {
  struct function_entry **list = profile_list_sorted_functions(profile);
  size_t kept = 0;
  for (size_t i = 0; i < profile->function_count; i++)
    if (profile_must_write_function(list[i], sparse))
      list[kept++] = list[i];
  return (struct functions_list){list, kept};
}

ORDER_BY(compare_keys, struct keyed_item, x->key);

void references_init(struct reference_names *references,
                     const struct profile *profile, bool sparse) {
  const char *const *vtables = (const void *)profile->vtables.data;
  size_t count = profile->vtables.size / sizeof *vtables;
  struct keyed_item *list = need_memory(malloc((count + 1) * sizeof *list));
  *references = (struct reference_names){profile, sparse, list, count};
  for (size_t i = 0; i < count; i++)
    list[i] = (struct keyed_item){md5_low64(vtables[i], strlen(vtables[i])),
                                  (uintptr_t)vtables[i]};
  qsort(list, count, sizeof *list, compare_keys);
}

void references_free(struct reference_names *references) {
  free(references->vtables);
  *references = (struct reference_names){0};
}

const char *references_find_name(const struct reference_names *references,
                                 uint64_t reference) {
  const struct function_entry *function =
      profile_find_function(references->profile, reference);
  if (function && profile_must_write_function(function, references->sparse))
    return function->name;
  const struct keyed_item wanted = {reference, 0};
  const struct keyed_item *found =
      bsearch(&wanted, references->vtables, references->count, sizeof wanted,
              compare_keys);
  return found ? (const char *)(uintptr_t)found->item : NULL;
}
