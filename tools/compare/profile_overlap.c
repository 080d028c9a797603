/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file computes the overlap. A record in B without counts matches any
 * function of A with the same name, because no counts differ.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../base/need.h"
#include "../profile/profile_merge.h"
#include "comparison.h"

/* ==== This part reads two profiles, and walks along the names of both. */

/* ---- opening ---- */

/* Returns the separator in local names, which the first local name shows. */
static char find_name_separator(const struct profile *profile) {
  if (!profile->has_colons && !profile->has_semicolons)
    return 0;
  for (size_t i = 0; i < profile->bucket_count; i++)
    for (const struct function_entry *entry = profile->buckets[i]; entry;
         entry = entry->next)
      for (const char *kind = ";:"; *kind; kind++)
        if (translate_find_separator(entry->name, entry->name_size, *kind))
          return *kind;
  return 0;
}

/* Checks whether B can be compared with A. Returns NULL, or why not. */
static const char *find_comparison_error(const struct profile_pair *pair) {
  const struct profile *a = pair->profiles[SIDE_A];
  const struct profile *b = pair->profiles[SIDE_B];
  unsigned both = a->flags | b->flags, other = a->flags ^ b->flags;
  if (both & PROFILE_FRONT_END && both & PROFILE_IR)
    return "one profile is from clang's front end (-fprofile-instr-generate), "
           "the other from IR (-fprofile-generate); compare two profiles of "
           "one kind";
  if (!a->function_count || !b->function_count)
    return NULL;
  if (other & PROFILE_BYTES)
    return "one profile has counts, the other only says whether code ran; "
           "compare two profiles of one kind";
  return other & PROFILE_PLACES
             ? "only one profile is from -pgo-instrument-entry (or "
               "-pgo-instrument-loop-entries), which counts other blocks; "
               "compare two profiles of one kind"
             : NULL;
}

/* Returns whether both files can be read in windows. If names must be
 * translated, or if the kinds of data differ, complete profiles are needed. */
static bool can_read_in_windows(const struct profile_pair *pair) {
  const struct indexed_window_reader *a = pair->sides[SIDE_A].windows;
  const struct indexed_window_reader *b = pair->sides[SIDE_B].windows;
  return a && b && a->profile.flags == b->profile.flags &&
         a->bitmaps == b->bitmaps && !pair->sides[SIDE_B].profile.vtables.size;
}

/* Returns whether the local names of A and B may have different separators. */
static bool may_separators_differ(const struct profile_pair *pair) {
  const struct profile *a = pair->profiles[SIDE_A];
  const struct profile *b = pair->profiles[SIDE_B];
  return a->flags & PROFILE_IR && (a->has_colons || b->has_colons) &&
         (a->has_semicolons || b->has_semicolons);
}

/* Marks all functions of B as not found. */
static void clear_found_marks(struct profile_pair *pair) {
  size_t count = pair->profiles[SIDE_B]->function_count + 1;
  pair->found = need_memory(realloc(pair->found, count));
  memset(pair->found, 0, count);
}

int pair_read_whole_files(struct profile_pair *pair) {
  pair->windows = pair->wrong = false;
  for (int i = 0; i < SIDES; i++) {
    struct profile_merge *side = &pair->sides[i];
    pair->profiles[i] = &side->profile;
    if (profile_merge_restart_whole_file(side))
      return 1;
  }
  const char *error = find_comparison_error(pair);
  char separator = find_name_separator(pair->profiles[SIDE_A]);
  if (!error && separator)
    profile_merge_translate_names(&pair->sides[SIDE_B], separator,
                                  pair->names[SIDE_B]);
  clear_found_marks(pair);
  return error ? report(pair->names[SIDE_B], "%s", error) : 0;
}

int pair_open(struct profile_pair *pair, const char *const names[SIDES],
              const char *elf) {
  *pair = (struct profile_pair){.names = {names[SIDE_A], names[SIDE_B]},
                                .records.limit = SIZE_MAX / 2,
                                .kept.limit = SIZE_MAX / 2};
  for (int i = 0; i < SIDES; i++)
    profile_merge_init(&pair->sides[i], names);
  for (int i = 0; i < SIDES; i++) {
    pair->sides[i].only = pair->sides[i].profile.lost_on_error = true;
    if (profile_merge_open_elf(&pair->sides[i], elf) ||
        profile_merge_open_in_windows(&pair->sides[i], (uint32_t)i))
      return 1;
  }
  if (!can_read_in_windows(pair))
    return pair_read_whole_files(pair);
  pair->windows = true;
  pair->buckets = SIZE_MAX;
  for (int i = 0; i < SIDES; i++) {
    const struct indexed_window_reader *windows = pair->sides[i].windows;
    pair->profiles[i] = &windows->profile;
    if (windows->buckets < pair->buckets)
      pair->buckets = windows->buckets;
  }
  return 0;
}

void pair_close(struct profile_pair *pair) {
  for (int i = 0; i < SIDES; i++)
    profile_merge_free(&pair->sides[i]);
  free(pair->found);
  buffer_free(&pair->records);
  arena_free(&pair->kept);
}

/* Passes all records of a profile to `see`. Call this function before the walk
 * over functions. */
static void for_each_side_record(struct profile_pair *pair, int side,
                                 indexed_record_visitor *see, void *context) {
  const struct profile *profile = pair->profiles[side];
  if (pair->windows) {
    indexed_windows_visit_records(pair->sides[side].windows, see, context);
    return;
  }
  for (size_t i = 0; i < profile->function_count; i++) {
    profile_prefetch_walk(profile, i);
    for (const struct record_counts *counts = profile->arrived[i]->counts;
         counts; counts = counts->next)
      see(context, NULL, counts);
  }
}

/* ---- stepping ---- */

static bool has_same_name(const struct function_entry *a,
                          const struct function_entry *b) {
  return a->reference == b->reference && a->name_size == b->name_size &&
         !memcmp(a->name, b->name, a->name_size);
}

/* Returns the function of B with the name of A's function, or NULL. Files from
 * one build usually have the same order. */
static const struct function_entry *
find_function_in_b(const struct profile *b, size_t expected,
                   const struct function_entry *a) {
  if (expected < b->function_count && has_same_name(a, b->arrived[expected]))
    return b->arrived[expected];
  const struct function_entry *other = profile_find_function(b, a->reference);
  while (other && !has_same_name(a, other))
    other = other->next;
  return other;
}

/* Reads the next window of both files. Returns false if there is none. */
static bool read_next_window(struct profile_pair *pair,
                             struct function_pair_cursor *step) {
  enum { WINDOW = 512 };
  size_t first = pair->bucket, end = first + WINDOW;
  bool more = first != pair->buckets;
  if (!pair->windows)
    return false;
  if (end > pair->buckets)
    end = pair->buckets;
  for (int i = 0; i < SIDES; i++) {
    struct indexed_window_reader *windows = pair->sides[i].windows;
    if (more)
      indexed_windows_load(windows, first, end, pair->buckets,
                           i == SIDE_A ? NULL : pair->profiles[SIDE_A]);
    pair->wrong = pair->wrong || !indexed_windows_are_valid(windows, !more);
  }
  pair->wrong = pair->wrong || may_separators_differ(pair);
  clear_found_marks(pair);
  pair->bucket = end;
  *step = (struct function_pair_cursor){.next = {0}};
  return more && !pair->wrong;
}

static bool find_next_function_in_window(struct profile_pair *pair,
                                         struct function_pair_cursor *step) {
  const struct profile *a = pair->profiles[SIDE_A];
  const struct profile *b = pair->profiles[SIDE_B];
  bool *found = pair->found;
  size_t i = step->next[SIDE_A], *j = &step->next[SIDE_B];
  const struct function_entry *one = NULL, *other = NULL;
  if (i < a->function_count) {
    profile_prefetch_walk(a, i);
    profile_prefetch_walk(b, step->expected);
    one = a->arrived[i];
    step->next[SIDE_A]++;
    other = find_function_in_b(b, step->expected, one);
  } else {
    while (*j < b->function_count && found[*j])
      ++*j;
    if (*j == b->function_count)
      return false;
    other = b->arrived[*j];
  }
  if (other) {
    step->expected = other->number + (size_t)1;
    found[other->number] = true;
  }
  step->entries[SIDE_A] = one;
  step->entries[SIDE_B] = other;
  step->name = (one ? one : other)->name;
  return true;
}

/* Finds the next function: first the functions of A in the order of A's file,
 * then the functions that only B has. In windows, this is done window by
 * window. Returns false after the last function, or if pair->wrong is set. */
static bool find_next_function(struct profile_pair *pair,
                               struct function_pair_cursor *step) {
  while (!find_next_function_in_window(pair, step))
    if (!read_next_window(pair, step))
      return false;
  return true;
}

/* Returns a copy of the current name, which lasts as long as the pair. */
static const char *copy_function_name(struct profile_pair *pair,
                                      const struct function_pair_cursor *step) {
  return pair->windows ? need_copy(&pair->kept, step->name) : step->name;
}

/* Sorts pairs by hash. The record of A comes before the record of B. */
ORDER_BY(compare_hashes, struct counts_pair, x->hash, !x->sides[SIDE_A]);

/* Lists all records of a function, in A and in B, as pairs with the same
 * hash. */
static struct counts_pair_list
list_function_records(struct profile_pair *pair,
                      const struct function_pair_cursor *step) {
  struct buffer *buffer = &pair->records;
  buffer->size = 0;
  for (int i = 0; i < SIDES; i++)
    for (const struct record_counts *counts =
             step->entries[i] ? step->entries[i]->counts : NULL;
         counts; counts = counts->next) {
      struct counts_pair one = {
          .hash = profile_comparable_hash(pair->profiles[i], counts->hash)};
      one.sides[i] = counts;
      need_append(buffer, &one, sizeof one);
    }
  struct counts_pair *list = (void *)buffer->data;
  size_t all = buffer->size / sizeof *list, kept = 0;
  /* Nearly always, each side has one record, and the hashes are equal. */
  if (all > 2 || (all == 2 && compare_hashes(&list[0], &list[1]) > 0))
    sort_array(list, all, sizeof *list, compare_hashes);
  for (size_t i = 0; i < all; i++)
    if (kept && list[kept - 1].hash == list[i].hash) {
      list[kept - 1].sides[SIDE_B] = list[i].sides[SIDE_B];
      list[kept - 1].same = true;
    } else {
      list[kept++] = list[i];
    }
  return (struct counts_pair_list){list, kept};
}

/* Returns whether two records have the same number of counters, and the same
 * number of sites for each kind of values. */
static bool has_same_sizes(const struct record_counts *a,
                           const struct record_counts *b) {
  bool alike = a->counter_count == b->counter_count;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    alike = alike && a->more->site_count[kind] == b->more->site_count[kind];
  return alike;
}

/* Returns whether a name contains a text. NULL matches every name. */
static bool matches_name_filter(const char *name, const char *text) {
  return !text || strstr(name, text);
}

/* ==== This part computes the overlap of two profiles. */

const char *const measure_names[MEASURES] = {"edge counters", "indirect calls",
                                             "memory operations", "vtables"};
const char *const measure_keys[MEASURES] = {"edges", "indirect_calls", "memops",
                                            "vtables"};

struct overlap_state {
  struct profile_overlap *overlap;
  struct profile_pair *pair;
  const struct overlap_settings *settings;
  struct value_site copies[SIDES]; /* sorted copies of a site in A and in B */
  int side;                        /* the side whose counts are summed */
  bool in_a;                       /* A has a record of the current function. */
};

bool measure_has_counts(const struct overlap_shares *measure) {
  return measure->sums[SIDE_A] >= 1 || measure->sums[SIDE_B] >= 1;
}

static bool is_record_compared(const struct overlap_state *measuring,
                               const struct record_counts *counts) {
  const struct profile *const *profiles = measuring->pair->profiles;
  unsigned flags = profiles[SIDE_A]->flags | profiles[SIDE_B]->flags;
  bool context_sensitive =
      flags & PROFILE_IR && (counts->hash & PROFILE_CS_HASH);
  return context_sensitive == measuring->settings->context_sensitive;
}

/* ---- sums ---- */

/* A sum of counts, `whole` + `more`. The sum is exact up to 2^64. */
struct exact_sum {
  uint64_t whole;
  long double more; /* earlier values of `whole`, before it would overflow */
};

static void add_to_exact_sum(struct exact_sum *sum, uint64_t count) {
  if (sum->whole + count < sum->whole) {
    sum->more += sum->whole;
    sum->whole = 0;
  }
  sum->whole += count;
}

static double exact_sum_value(const struct exact_sum *sum) {
  return sum->more > 0 ? (double)(sum->more + sum->whole) : (double)sum->whole;
}

/* Returns how many counters of a record are counts. */
static uint32_t number_of_counts(const struct record_counts *counts) {
  return counts_are_pseudo(counts->counters, counts->counter_count)
             ? 0
             : counts->counter_count;
}

static double sum_counters(const struct record_counts *counts) {
  struct exact_sum sum = {0};
  for (uint32_t i = 0, count = number_of_counts(counts); i < count; i++)
    add_to_exact_sum(&sum, counts->counters[i]);
  return exact_sum_value(&sum);
}

static double sum_site_values(const struct record_counts *counts,
                              unsigned kind) {
  struct exact_sum sum = {0};
  for (uint32_t i = 0; i < counts->more->site_count[kind]; i++)
    for (uint32_t j = 0; j < counts->more->sites[kind][i].count; j++)
      add_to_exact_sum(&sum, counts->more->sites[kind][i].values[j].count);
  return exact_sum_value(&sum);
}

static void sum_record_counts(struct overlap_shares *shares,
                              const struct record_counts *counts, int side) {
  shares[MEASURE_EDGES].sums[side] = sum_counters(counts);
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    shares[MEASURE_VALUES + kind].sums[side] = sum_site_values(counts, kind);
}

/* ---- records on both sides ---- */

static double compute_smaller_share(uint64_t a, uint64_t b,
                                    const double sums[SIDES]) {
  if (sums[SIDE_A] < 1 || sums[SIDE_B] < 1)
    return 0;
  double of_a = (double)a / sums[SIDE_A], of_b = (double)b / sums[SIDE_B];
  return of_a < of_b ? of_a : of_b;
}

/* Adds the overlap of two counts to the measure of all functions, and to the
 * measure of their function, which is NULL if that function is not listed. */
static void add_count_overlap(struct overlap_shares *all,
                              struct overlap_shares *function, uint64_t a,
                              uint64_t b) {
  if (!a || !b)
    return;
  all->overlap += compute_smaller_share(a, b, all->sums);
  if (function)
    function->overlap += compute_smaller_share(a, b, function->sums);
}

static void copy_sorted_site(struct value_site *to,
                             const struct value_site *from) {
  if (to->room < from->count) {
    to->values =
        need_memory(realloc(to->values, from->count * sizeof *to->values));
    to->room = from->count;
  }
  to->count = from->count;
  if (from->count)
    memcpy(to->values, from->values, from->count * sizeof *from->values);
  site_sort_values(to);
}

static void add_site_overlap(struct overlap_state *measuring,
                             struct overlap_shares *all,
                             struct overlap_shares *function,
                             const struct value_site *const sites[SIDES]) {
  struct value_site *a = &measuring->copies[SIDE_A];
  struct value_site *b = &measuring->copies[SIDE_B];
  copy_sorted_site(a, sites[SIDE_A]);
  copy_sorted_site(b, sites[SIDE_B]);
  for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
    uint64_t one = a->values[i].value, other = b->values[j].value;
    if (one == other)
      add_count_overlap(all, function, a->values[i].count, b->values[j].count);
    i += one <= other;
    j += other <= one;
  }
}

static void add_record_overlap(struct overlap_state *measuring,
                               struct overlap_shares *function,
                               const struct counts_pair *records) {
  struct overlap_shares *all = measuring->overlap->of;
  const struct record_counts *a = records->sides[SIDE_A],
                             *b = records->sides[SIDE_B];
  for (uint32_t i = 0, count = number_of_counts(a); i < count; i++)
    add_count_overlap(&all[MEASURE_EDGES], function, a->counters[i],
                      b->counters[i]);
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    for (uint32_t i = 0; i < a->more->site_count[kind]; i++) {
      const struct value_site *const sites[] = {&a->more->sites[kind][i],
                                                &b->more->sites[kind][i]};
      unsigned at = MEASURE_VALUES + kind;
      add_site_overlap(measuring, &all[at], function ? &function[at] : NULL,
                       sites);
    }
}

/* ---- records ---- */

/* Adds a record that A lacks or has with another shape. */
static void add_unmatched_record(struct profile_overlap *overlap,
                                 const struct overlap_shares *function,
                                 bool mismatched) {
  *(mismatched ? &overlap->mismatched : &overlap->only_b) += 1;
  for (unsigned i = 0; i < MEASURES; i++) {
    struct overlap_shares *all = &overlap->of[i];
    double part = all->sums[SIDE_B] < 1
                      ? 0
                      : function[i].sums[SIDE_B] / all->sums[SIDE_B];
    *(mismatched ? &all->mismatched : &all->only_b) += part;
  }
}

static bool is_record_listed(const struct overlap_state *measuring,
                             const char *name, const struct record_counts *b) {
  const struct overlap_settings *settings = measuring->settings;
  uint64_t most = 0;
  for (uint32_t i = 0; i < b->counter_count && settings->by_count; i++)
    if (b->counters[i] > most)
      most = b->counters[i];
  return (settings->by_count && most >= settings->cutoff) ||
         (settings->function && matches_name_filter(name, settings->function));
}

static bool has_nonzero_count(const struct record_counts *counts) {
  uint32_t i = 0, count = number_of_counts(counts);
  while (i < count && !counts->counters[i])
    i++;
  return i < count;
}

/* Adds a record's overlap. Like llvm-profdata, ignores records that only A has,
 * and counts a record of B without an equal one in A as not matched. */
static void measure_record_overlap(struct overlap_state *measuring,
                                   const struct function_pair_cursor *step,
                                   const struct counts_pair *records) {
  const struct record_counts *a = records->sides[SIDE_A],
                             *b = records->sides[SIDE_B];
  struct profile_overlap *overlap = measuring->overlap;
  struct function_overlap function = {.name = NULL};
  if (!is_record_compared(measuring, a ? a : b))
    return;
  if (!b) {
    overlap->only_a++;
    return;
  }
  bool in_a = measuring->in_a, counted = has_nonzero_count(b);
  if (!in_a || (counted && (!a || !has_same_sizes(a, b)))) {
    sum_record_counts(function.of, b, SIDE_B);
    add_unmatched_record(overlap, function.of, in_a);
    return;
  }
  overlap->functions++;
  if (!counted)
    return;
  if (!is_record_listed(measuring, step->name, b)) {
    add_record_overlap(measuring, NULL, records);
    return;
  }
  function.name = copy_function_name(measuring->pair, step);
  function.hash = b->hash;
  function.counters = b->counter_count;
  for (int side = 0; side < SIDES; side++)
    sum_record_counts(function.of, records->sides[side], side);
  add_record_overlap(measuring, function.of, records);
  need_append(&overlap->list, &function, sizeof function);
}

static int compare_functions_by_name(const void *a, const void *b) {
  const struct function_overlap *one = a, *two = b;
  int order = strcmp(one->name, two->name);
  return order ? order : (one->hash > two->hash) - (one->hash < two->hash);
}

static void add_record_sums(void *context, const struct bytes *name,
                            const struct record_counts *counts) {
  (void)name;
  struct overlap_state *measuring = context;
  struct overlap_shares one[MEASURES];
  int side = measuring->side;
  if (!is_record_compared(measuring, counts))
    return;
  sum_record_counts(one, counts, side);
  for (unsigned i = 0; i < MEASURES; i++)
    measuring->overlap->of[i].sums[side] += one[i].sums[side];
}

bool overlap_compute(struct profile_overlap *overlap, struct profile_pair *pair,
                     const struct overlap_settings *settings) {
  struct overlap_state measuring = {
      .overlap = overlap, .pair = pair, .settings = settings};
  struct function_pair_cursor step = {.next = {0}};
  *overlap = (struct profile_overlap){.list.limit = SIZE_MAX / 2};
  /* The sums are computed first, because each overlap is a share of a sum. */
  for (measuring.side = 0; measuring.side < SIDES; measuring.side++)
    for_each_side_record(pair, measuring.side, add_record_sums, &measuring);
  while (find_next_function(pair, &step)) {
    struct counts_pair_list records = list_function_records(pair, &step);
    measuring.in_a = false;
    for (size_t i = 0; i < records.count; i++) {
      const struct record_counts *a = records.list[i].sides[SIDE_A];
      measuring.in_a =
          measuring.in_a || (a && is_record_compared(&measuring, a));
    }
    for (size_t i = 0; i < records.count; i++)
      measure_record_overlap(&measuring, &step, &records.list[i]);
  }
  sort_array(overlap->list.data,
             overlap->list.size / sizeof(struct function_overlap),
             sizeof(struct function_overlap), compare_functions_by_name);
  for (int i = 0; i < SIDES; i++)
    free(measuring.copies[i].values);
  return !pair->wrong;
}
