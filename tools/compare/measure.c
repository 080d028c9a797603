/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Computes the overlap. A record without counts in B is a function in common if
 * A has one with its name, since it contains nothing that could mismatch.
 */
#include "comparison.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"

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

/* Adds the overlap of two counts to the measure of all functions and to that of
 * their own; function is NULL if it is not listed. */
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
