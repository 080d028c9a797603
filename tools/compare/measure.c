/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Computes the overlap. A record without counts in B is a function in common if
 * A has one with its name, since it contains nothing that could mismatch.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../profile/gather.h"
#include "comparison.h"

/* ==== Reads two profiles, and walks along the names of both. */

/* ---- opening ---- */

/* Returns the separator of local names, which the first of them shows. */
static char separator_of(const struct profile *profile) {
  if (!profile->has_colons && !profile->has_semicolons)
    return 0;
  for (size_t i = 0; i < profile->bucket_count; i++)
    for (const struct function_entry *entry = profile->buckets[i]; entry;
         entry = entry->next)
      for (const char *kind = ";:"; *kind; kind++)
        if (local_separator(entry->name, entry->name_size, *kind))
          return *kind;
  return 0;
}

/* Checks whether B can be compared with A. Returns NULL or the reason. */
static const char *why_refused(const struct record_pair *pair) {
  const struct profile *a = pair->profiles[SIDE_A];
  const struct profile *b = pair->profiles[SIDE_B];
  unsigned both = a->flags | b->flags, other = a->flags ^ b->flags;
  if (both & PROFILE_FRONT_END && both & PROFILE_IR)
    return "one profile is from clang's front end (-fprofile-instr-generate), "
           "the other from IR (-fprofile-generate); compare two profiles of "
           "one kind";
  if (other & PROFILE_BYTES && a->function_count && b->function_count)
    return "one profile has counts, the other only says whether code ran; "
           "compare two profiles of one kind";
  return NULL;
}

/* Whether both can be read in windows. Translating names, and different kinds
 * of data, require complete profiles. */
static bool have_windows(const struct record_pair *pair) {
  const struct windows *a = pair->sides[SIDE_A].windows;
  const struct windows *b = pair->sides[SIDE_B].windows;
  return a && b && a->profile.flags == b->profile.flags &&
         a->bitmaps == b->bitmaps && !pair->sides[SIDE_B].profile.vtables.size;
}

/* Whether the local names of A and B may have different separators. */
static bool separators_differ(const struct record_pair *pair) {
  const struct profile *a = pair->profiles[SIDE_A];
  const struct profile *b = pair->profiles[SIDE_B];
  return a->flags & PROFILE_IR && (a->has_colons || b->has_colons) &&
         (a->has_semicolons || b->has_semicolons);
}

/* Marks all functions of B as not found. Returns false if memory runs out. */
static bool begin_found(struct record_pair *pair) {
  size_t count = pair->profiles[SIDE_B]->function_count;
  if (buffer_room(&pair->found, count + 1))
    return false;
  memset(pair->found.data, 0, count + 1);
  return true;
}

int pair_whole(struct record_pair *pair) {
  pair->windows = pair->wrong = false;
  for (int i = 0; i < SIDES; i++) {
    struct gather *side = &pair->sides[i];
    pair->profiles[i] = &side->profile;
    if (gather_whole(side))
      return 1;
  }
  const char *error = why_refused(pair);
  char separator = separator_of(pair->profiles[SIDE_A]);
  if (!error && separator &&
      gather_translate(&pair->sides[SIDE_B], separator, pair->names[SIDE_B]))
    return 1;
  if (!error && !begin_found(pair))
    error = out_of_memory;
  return error ? report(pair->names[SIDE_B], "%s", error) : 0;
}

int pair_open(struct record_pair *pair, const char *const names[SIDES],
              const char *elf) {
  *pair = (struct record_pair){.names = {names[SIDE_A], names[SIDE_B]},
                               .found.limit = SIZE_MAX / 2,
                               .records.limit = SIZE_MAX / 2,
                               .kept.limit = SIZE_MAX / 2};
  for (int i = 0; i < SIDES; i++)
    gather_new(&pair->sides[i], names);
  for (int i = 0; i < SIDES; i++) {
    pair->sides[i].only = pair->sides[i].profile.lost_on_error = true;
    if (gather_elf(&pair->sides[i], elf) ||
        gather_windows(&pair->sides[i], (uint32_t)i))
      return 1;
  }
  if (!have_windows(pair))
    return pair_whole(pair);
  pair->windows = true;
  pair->buckets = SIZE_MAX;
  for (int i = 0; i < SIDES; i++) {
    const struct windows *windows = pair->sides[i].windows;
    pair->profiles[i] = &windows->profile;
    if (windows->buckets < pair->buckets)
      pair->buckets = windows->buckets;
  }
  return 0;
}

void pair_close(struct record_pair *pair) {
  for (int i = 0; i < SIDES; i++)
    gather_free(&pair->sides[i]);
  buffer_free(&pair->found);
  buffer_free(&pair->records);
  arena_free(&pair->kept);
}

/* Shows all counts of a side, before any step. */
static void pair_look(struct record_pair *pair, int side, windows_see *see,
                      void *context) {
  const struct profile *profile = pair->profiles[side];
  if (pair->windows) {
    windows_look(pair->sides[side].windows, see, context);
    return;
  }
  for (size_t i = 0; i < profile->function_count; i++) {
    profile_walk_ahead(profile, i);
    for (const struct counts *counts = profile->arrived[i]->counts; counts;
         counts = counts->next)
      see(context, NULL, counts);
  }
}

/* ---- stepping ---- */

static bool same_name(const struct function_entry *a,
                      const struct function_entry *b) {
  return a->reference == b->reference && a->name_size == b->name_size &&
         !memcmp(a->name, b->name, a->name_size);
}

/* Returns the function of B with A's name, or NULL. Files of one build usually
 * have the same order. */
static const struct function_entry *find_other(const struct profile *b,
                                               size_t expected,
                                               const struct function_entry *a) {
  if (expected < b->function_count && same_name(a, b->arrived[expected]))
    return b->arrived[expected];
  const struct function_entry *other = profile_find(b, a->reference);
  while (other && !same_name(a, other))
    other = other->next;
  return other;
}

/* Reads the next window of both. Returns false if there is none. */
static bool next_window(struct record_pair *pair, struct pair_step *step) {
  enum { WINDOW = 512 };
  size_t first = pair->bucket, end = first + WINDOW;
  bool more = first != pair->buckets;
  if (!pair->windows)
    return false;
  if (end > pair->buckets)
    end = pair->buckets;
  for (int i = 0; i < SIDES; i++) {
    struct windows *windows = pair->sides[i].windows;
    if (more)
      windows_read(windows, first, end, pair->buckets,
                   i == SIDE_A ? NULL : pair->profiles[SIDE_A]);
    pair->wrong = pair->wrong || !windows_right(windows, !more);
  }
  pair->wrong = pair->wrong || separators_differ(pair) || !begin_found(pair);
  pair->bucket = end;
  *step = (struct pair_step){.next = {0}};
  return more && !pair->wrong;
}

static bool next_of_window(struct record_pair *pair, struct pair_step *step) {
  const struct profile *a = pair->profiles[SIDE_A];
  const struct profile *b = pair->profiles[SIDE_B];
  bool *found = (bool *)pair->found.data;
  size_t i = step->next[SIDE_A], *j = &step->next[SIDE_B];
  const struct function_entry *one = NULL, *other = NULL;
  if (i < a->function_count) {
    profile_walk_ahead(a, i);
    profile_walk_ahead(b, step->expected);
    one = a->arrived[i];
    step->next[SIDE_A]++;
    other = find_other(b, step->expected, one);
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

/* The next function: A's in their order of arrival, then those that only B has;
 * window by window. false: no function is left, or the pair is wrong. */
static bool pair_next(struct record_pair *pair, struct pair_step *step) {
  while (!next_of_window(pair, step))
    if (!next_window(pair, step))
      return false;
  return true;
}

/* The step's name, which lasts as long as the pair. NULL: out of memory. */
static const char *pair_keep(struct record_pair *pair,
                             const struct pair_step *step) {
  return pair->windows ? arena_copy(&pair->kept, step->name, strlen(step->name))
                       : step->name;
}

/* By hash; A's record before B's. */
ORDER_BY(by_hash, struct compared_records, x->hash, !x->sides[SIDE_A]);

/* All of them. false: out of memory. */
static bool pair_records(struct record_pair *pair, const struct pair_step *step,
                         struct records_list *records) {
  struct buffer *buffer = &pair->records;
  buffer->size = 0;
  for (int i = 0; i < SIDES; i++)
    for (const struct counts *counts =
             step->entries[i] ? step->entries[i]->counts : NULL;
         counts; counts = counts->next) {
      struct compared_records one = {
          .hash = profile_hash(pair->profiles[i], counts->hash)};
      one.sides[i] = counts;
      if (buffer_add(buffer, &one, sizeof one))
        return false;
    }
  struct compared_records *list = (void *)buffer->data;
  size_t all = buffer->size / sizeof *list, kept = 0;
  /* Nearly always each side has one record, with the same hash. */
  if (all > 2 || (all == 2 && by_hash(&list[0], &list[1]) > 0))
    sort(list, all, sizeof *list, by_hash);
  for (size_t i = 0; i < all; i++)
    if (kept && list[kept - 1].hash == list[i].hash) {
      list[kept - 1].sides[SIDE_B] = list[i].sides[SIDE_B];
      list[kept - 1].same = true;
    } else {
      list[kept++] = list[i];
    }
  *records = (struct records_list){list, kept};
  return true;
}

/* Whether they have as many counters, and of each kind as many sites. */
static bool counts_alike(const struct counts *a, const struct counts *b) {
  bool alike = a->counter_count == b->counter_count;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    alike = alike && a->more->site_count[kind] == b->more->site_count[kind];
  return alike;
}

/* Whether text is in the name, or no text is wanted (NULL). */
static bool name_wanted(const char *name, const char *text) {
  return !text || strstr(name, text);
}

/* ==== The overlap of both. */

const char *const measure_names[MEASURES] = {"edge counters", "indirect calls",
                                             "memory operations", "vtables"};
const char *const measure_keys[MEASURES] = {"edges", "indirect_calls", "memops",
                                            "vtables"};

/* Sorted copies of the values of a site in A and in B. */
struct copies {
  struct site sites[SIDES];
};

struct overlap_measuring {
  struct overlap *overlap;
  struct record_pair *pair;
  const struct overlap_settings *settings;
  struct copies copies;
  int side;  /* the side that is summed up */
  bool in_a; /* the current function has a record in A */
};

bool measure_is(const struct measure *measure) {
  return measure->sums[SIDE_A] >= 1 || measure->sums[SIDE_B] >= 1;
}

static bool takes_part(const struct overlap_measuring *measuring,
                       const struct counts *counts) {
  const struct profile *const *profiles = measuring->pair->profiles;
  unsigned flags = profiles[SIDE_A]->flags | profiles[SIDE_B]->flags;
  bool context_sensitive =
      flags & PROFILE_IR && (counts->hash & PROFILE_CS_HASH);
  return context_sensitive == measuring->settings->context_sensitive;
}

/* ---- sums ---- */

/* A sum of counts: exact up to 2^64, then as long double. */
struct sum {
  uint64_t whole;
  long double more; /* sum of the parts beyond 2^64 */
};

static void sum_add(struct sum *sum, uint64_t count) {
  if (sum->whole + count < sum->whole) {
    sum->more += sum->whole;
    sum->whole = 0;
  }
  sum->whole += count;
}

static double sum_of(const struct sum *sum) {
  return sum->more > 0 ? (double)(sum->more + sum->whole) : (double)sum->whole;
}

static double counters_sum(const struct counts *counts) {
  struct sum sum = {0};
  for (uint32_t i = 0; i < counts->counter_count; i++)
    sum_add(&sum, counts->counters[i]);
  return sum_of(&sum);
}

static double values_sum(const struct counts *counts, unsigned kind) {
  struct sum sum = {0};
  for (uint32_t i = 0; i < counts->more->site_count[kind]; i++)
    for (uint32_t j = 0; j < counts->more->sites[kind][i].count; j++)
      sum_add(&sum, counts->more->sites[kind][i].values[j].count);
  return sum_of(&sum);
}

/* Sums up the counts of a record on one side. */
static void sum_up(struct measure *of, const struct counts *counts, int side) {
  of[MEASURE_EDGES].sums[side] = counters_sum(counts);
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    of[MEASURE_VALUES + kind].sums[side] = values_sum(counts, kind);
}

/* ---- records on both sides ---- */

static double lesser_share(uint64_t a, uint64_t b, const double sums[SIDES]) {
  if (sums[SIDE_A] < 1 || sums[SIDE_B] < 1)
    return 0;
  double of_a = (double)a / sums[SIDE_A], of_b = (double)b / sums[SIDE_B];
  return of_a < of_b ? of_a : of_b;
}

/* Adds the overlap of two counts to the measure of all functions and to their
 * own function's measure, which is NULL if the function is not listed. */
static void add_overlap(struct measure *all, struct measure *function,
                        uint64_t a, uint64_t b) {
  if (!a || !b)
    return;
  all->overlap += lesser_share(a, b, all->sums);
  if (function)
    function->overlap += lesser_share(a, b, function->sums);
}

static bool copy_site(struct site *to, const struct site *from) {
  if (to->room < from->count) {
    struct value *values = realloc(to->values, from->count * sizeof *values);
    if (!values)
      return false;
    to->values = values;
    to->room = from->count;
  }
  to->count = from->count;
  if (from->count)
    memcpy(to->values, from->values, from->count * sizeof *from->values);
  site_sort(to);
  return true;
}

static bool add_site(struct overlap_measuring *measuring, struct measure *all,
                     struct measure *function,
                     const struct site *const sites[SIDES]) {
  struct site *a = &measuring->copies.sites[SIDE_A];
  struct site *b = &measuring->copies.sites[SIDE_B];
  if (!copy_site(a, sites[SIDE_A]) || !copy_site(b, sites[SIDE_B]))
    return false;
  for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
    uint64_t one = a->values[i].value, other = b->values[j].value;
    if (one == other)
      add_overlap(all, function, a->values[i].count, b->values[j].count);
    i += one <= other;
    j += other <= one;
  }
  return true;
}

static bool add_record(struct overlap_measuring *measuring,
                       struct measure *function,
                       const struct compared_records *records) {
  struct measure *all = measuring->overlap->of;
  const struct counts *a = records->sides[SIDE_A], *b = records->sides[SIDE_B];
  for (uint32_t i = 0; i < a->counter_count; i++)
    add_overlap(&all[MEASURE_EDGES], function, a->counters[i], b->counters[i]);
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    for (uint32_t i = 0; i < a->more->site_count[kind]; i++) {
      const struct site *const sites[] = {&a->more->sites[kind][i],
                                          &b->more->sites[kind][i]};
      unsigned at = MEASURE_VALUES + kind;
      struct measure *own = function ? &function[at] : NULL;
      if (!add_site(measuring, &all[at], own, sites))
        return false;
    }
  return true;
}

/* ---- records ---- */

/* Adds a record that A lacks or has in another shape. */
static void add_other(struct overlap *overlap, const struct measure *function,
                      bool mismatched) {
  *(mismatched ? &overlap->mismatched : &overlap->only_b) += 1;
  for (unsigned i = 0; i < MEASURES; i++) {
    struct measure *all = &overlap->of[i];
    double part = all->sums[SIDE_B] < 1
                      ? 0
                      : function[i].sums[SIDE_B] / all->sums[SIDE_B];
    *(mismatched ? &all->mismatched : &all->only_b) += part;
  }
}

static bool record_wanted(const struct overlap_measuring *measuring,
                          const char *name, const struct counts *b) {
  const struct overlap_settings *settings = measuring->settings;
  uint64_t most = 0;
  for (uint32_t i = 0; i < b->counter_count && settings->by_count; i++)
    if (b->counters[i] > most)
      most = b->counters[i];
  return (settings->by_count && most >= settings->cutoff) ||
         (settings->function && name_wanted(name, settings->function));
}

static bool is_counted(const struct counts *counts) {
  uint32_t i = 0;
  while (i < counts->counter_count && !counts->counters[i])
    i++;
  return i < counts->counter_count;
}

static bool measure_record(struct overlap_measuring *measuring,
                           const struct pair_step *step,
                           const struct compared_records *records) {
  const struct counts *a = records->sides[SIDE_A], *b = records->sides[SIDE_B];
  struct overlap *overlap = measuring->overlap;
  struct function_measure function = {.name = NULL};
  if (!takes_part(measuring, a ? a : b))
    return true;
  if (!b) {
    overlap->only_a++;
    return true;
  }
  bool in_a = measuring->in_a, counted = is_counted(b);
  if (!in_a || (counted && (!a || !counts_alike(a, b)))) {
    sum_up(function.of, b, SIDE_B);
    add_other(overlap, function.of, in_a);
    return true;
  }
  overlap->functions++;
  if (!counted)
    return true;
  function.hash = b->hash;
  function.counters = b->counter_count;
  if (!record_wanted(measuring, step->name, b))
    return add_record(measuring, NULL, records);
  function.name = pair_keep(measuring->pair, step);
  for (int side = 0; side < SIDES; side++)
    sum_up(function.of, records->sides[side], side);
  return function.name && add_record(measuring, function.of, records) &&
         !buffer_append(&overlap->list, &function, sizeof function);
}

static int by_name(const void *a, const void *b) {
  const struct function_measure *one = a, *two = b;
  int order = strcmp(one->name, two->name);
  return order ? order : (one->hash > two->hash) - (one->hash < two->hash);
}

/* Adds a record to the sums of its side. */
static void sum_record(void *context, const struct bytes *name,
                       const struct counts *counts) {
  (void)name;
  struct overlap_measuring *measuring = context;
  struct measure one[MEASURES];
  int side = measuring->side;
  if (!takes_part(measuring, counts))
    return;
  sum_up(one, counts, side);
  for (unsigned i = 0; i < MEASURES; i++)
    measuring->overlap->of[i].sums[side] += one[i].sums[side];
}

bool overlap_measure(struct overlap *overlap, struct record_pair *pair,
                     const struct overlap_settings *settings) {
  struct overlap_measuring measuring = {
      .overlap = overlap, .pair = pair, .settings = settings};
  struct pair_step step = {.next = {0}};
  struct records_list records;
  bool right = true;
  *overlap = (struct overlap){.list.limit = SIZE_MAX / 2};
  /* The sums come first, since overlaps are parts of them. */
  for (measuring.side = 0; measuring.side < SIDES; measuring.side++)
    pair_look(pair, measuring.side, sum_record, &measuring);
  while (right && pair_next(pair, &step)) {
    right = pair_records(pair, &step, &records);
    measuring.in_a = false;
    for (size_t i = 0; right && i < records.count; i++) {
      const struct counts *a = records.list[i].sides[SIDE_A];
      measuring.in_a = measuring.in_a || (a && takes_part(&measuring, a));
    }
    for (size_t i = 0; right && i < records.count; i++)
      right = measure_record(&measuring, &step, &records.list[i]);
  }
  sort(overlap->list.data, overlap->list.size / sizeof(struct function_measure),
       sizeof(struct function_measure), by_name);
  for (int i = 0; i < SIDES; i++)
    free(measuring.copies.sites[i].values);
  return right && !pair->wrong;
}
