/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of functions, and how records are added to it. What else a
 * profile has: extras.c.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "../base/md5.h"

enum { FIRST_BUCKETS = 1024 };

void profile_new(struct profile *profile, size_t limit) {
  *profile = (struct profile){.arena = {.limit = limit},
                              .vtables = {.limit = limit},
                              .ids = {.limit = limit}};
}

void profile_free(struct profile *profile) {
  arena_free(&profile->arena);
  buffer_free(&profile->vtables);
  buffer_free(&profile->ids);
  free(profile->buckets);
  for (size_t i = 0; i < profile->trace_count; i++)
    free(profile->traces[i].functions);
  free(profile->traces);
  *profile = (struct profile){0};
}

/* ---- functions ---- */

/* Makes room for so many functions, one a bucket. */
static bool grow(struct profile *profile, size_t functions) {
  size_t count =
      profile->bucket_count ? profile->bucket_count : (size_t)FIRST_BUCKETS;
  while (count < functions)
    count *= 2;
  struct function_entry **buckets = calloc(count, sizeof *buckets);
  if (!buckets)
    return false;
  for (size_t i = 0; i < profile->bucket_count; i++)
    while (profile->buckets[i]) {
      struct function_entry *entry = profile->buckets[i];
      struct function_entry **to = &buckets[entry->reference & (count - 1)];
      profile->buckets[i] = entry->next;
      entry->next = *to;
      *to = entry;
    }
  free(profile->buckets);
  profile->buckets = buckets;
  profile->bucket_count = count;
  return true;
}

bool profile_expect(struct profile *profile, size_t more) {
  size_t functions = profile->function_count + more;
  return functions <= profile->bucket_count || grow(profile, functions);
}

static struct function_entry *find(const struct profile *profile,
                                   const char *name, size_t name_size,
                                   uint64_t reference) {
  if (!profile->bucket_count)
    return NULL;
  struct function_entry *entry =
      profile->buckets[reference & (profile->bucket_count - 1)];
  while (entry &&
         (entry->reference != reference || entry->name_size != name_size ||
          memcmp(entry->name, name, name_size) != 0))
    entry = entry->next;
  return entry;
}

struct function_entry *profile_find(const struct profile *profile,
                                    const char *name, size_t name_size) {
  return find(profile, name, name_size, md5_low64(name, name_size));
}

static struct function_entry *find_or_add(struct profile *profile,
                                          const struct addition *addition) {
  const char *name = addition->name;
  size_t name_size = addition->name_size;
  uint64_t reference =
      addition->reference ? addition->reference : md5_low64(name, name_size);
  struct function_entry *entry = find(profile, name, name_size, reference);
  if (entry)
    return entry;
  if (!profile_expect(profile, 1))
    return NULL;
  entry = arena_take(&profile->arena, sizeof *entry);
  char *copy = arena_copy(&profile->arena, name, name_size);
  if (!entry || !copy)
    return NULL;
  struct function_entry **to =
      &profile->buckets[reference & (profile->bucket_count - 1)];
  *entry = (struct function_entry){*to, copy, name_size, reference, NULL};
  *to = entry;
  profile->function_count++;
  return entry;
}

/* ---- counts ---- */

uint64_t count_sum(uint64_t a, uint64_t b, bool *cut) {
  uint64_t sum = a + b;
  if (sum >= a && sum <= PROFILE_COUNT_MOST)
    return sum;
  *cut = true;
  return PROFILE_COUNT_MOST;
}

uint64_t count_times(uint64_t a, uint64_t weight, bool *cut) {
  /* Nearly all weights are 1, and to divide takes long. */
  if (weight == 1 && a <= PROFILE_COUNT_MOST)
    return a;
  if (a == 0 || weight <= PROFILE_COUNT_MOST / a)
    return a * weight;
  *cut = true;
  return PROFILE_COUNT_MOST;
}

bool counts_add(struct counts *to, const uint64_t *counters, uint64_t weight) {
  bool cut = false;
  for (uint32_t i = 0; i < to->counter_count; i++)
    to->counters[i] = count_sum(to->counters[i],
                                count_times(counters[i], weight, &cut), &cut);
  return cut;
}

static int by_value(const void *a, const void *b) {
  const struct value *one = a, *two = b;
  if (one->value != two->value)
    return one->value < two->value ? -1 : 1;
  return (one->count < two->count) - (one->count > two->count);
}

/* Adds the values of a later record, which are in the order of by_value at
 * more, to those of *to, which are too: of the same value, the largest count
 * to the largest, and so on. What is new goes behind them; returns how many
 * that are. */
static uint32_t add_known(struct site *to, struct value *more, uint32_t count,
                          bool *cut) {
  uint32_t at = 0, kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    while (at < to->count && to->values[at].value < more[i].value)
      at++;
    if (at == to->count || to->values[at].value != more[i].value)
      more[kept++] = more[i];
    else {
      to->values[at].count =
          count_sum(to->values[at].count, more[i].count, cut);
      at++;
    }
  }
  return kept;
}

void site_sort(struct site *site) {
  uint32_t i = 1;
  while (i < site->count &&
         by_value(&site->values[i - 1], &site->values[i]) <= 0)
    i++;
  if (i < site->count)
    qsort(site->values, site->count, sizeof *site->values, by_value);
}

/* An addition under way. */
struct adding {
  struct profile *profile;
  uint64_t weight;
  bool first; /* the record was not there before */
  bool cut;   /* a sum was */
};

static bool site_add(struct adding *adding, struct site *to,
                     const struct site *from) {
  if (!adding->first)
    site_sort(to);
  if (from->count == 0)
    return true;
  if (from->count > to->room - to->count) {
    if (from->count > UINT32_MAX / 4 - to->count)
      return false;
    uint32_t room = to->count + from->count;
    room += to->count ? room / 2 : 0;
    struct value *values =
        arena_take(&adding->profile->arena, room * sizeof *values);
    if (!values)
      return false;
    if (to->count)
      memcpy(values, to->values, to->count * sizeof *values);
    to->values = values;
    to->room = room;
  }
  struct site more = {to->values + to->count, from->count, 0};
  for (uint32_t i = 0; i < from->count; i++)
    more.values[i] = (struct value){
        from->values[i].value,
        count_times(from->values[i].count, adding->weight, &adding->cut)};
  if (!adding->first) {
    site_sort(&more);
    more.count = add_known(to, more.values, more.count, &adding->cut);
  }
  to->count += more.count;
  if (!adding->first)
    site_sort(to);
  return true;
}

static bool same_shape(const struct counts *counts,
                       const struct addition *addition) {
  bool same = counts->counter_count == addition->counter_count &&
              counts->bitmap_size == addition->bitmap_size;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    same = same && (counts->site_count[kind] == addition->site_count[kind]);
  return same;
}

/* A record without counts yet. */
static struct counts *new_counts(struct profile *profile,
                                 const struct addition *addition) {
  struct counts *counts = arena_take(&profile->arena, sizeof *counts);
  if (!counts)
    return NULL;
  counts->hash = addition->hash;
  counts->counter_count = addition->counter_count;
  counts->bitmap_size = addition->bitmap_size;
  counts->source = profile->source;
  counts->counters =
      arena_take(&profile->arena, addition->counter_count * (size_t)8);
  counts->bitmap = arena_take(&profile->arena, addition->bitmap_size);
  bool failed = !counts->counters || !counts->bitmap;
  for (unsigned kind = 0; kind < VALUE_KINDS && !failed; kind++) {
    counts->site_count[kind] = addition->site_count[kind];
    if (counts->site_count[kind])
      counts->sites[kind] =
          arena_take(&profile->arena,
                     counts->site_count[kind] * sizeof *counts->sites[kind]);
    failed = counts->site_count[kind] && !counts->sites[kind];
  }
  return failed ? NULL : counts;
}

static enum addition_result add_counts(struct adding *adding,
                                       struct counts *counts,
                                       const struct addition *addition) {
  counts->merged = counts->merged || !adding->first;
  adding->cut = counts_add(counts, addition->counters, addition->weight);
  for (uint32_t i = 0; i < counts->bitmap_size; i++)
    counts->bitmap[i] |= addition->bitmap[i];
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    for (uint32_t i = 0; i < counts->site_count[kind]; i++)
      if (!site_add(adding, &counts->sites[kind][i], &addition->sites[kind][i]))
        return REFUSED_MEMORY;
  return adding->cut ? ADDED_OVERFLOW : ADDED;
}

enum addition_result profile_add_to(struct profile *profile,
                                    struct counts *counts,
                                    const struct addition *addition) {
  struct adding adding = {profile, addition->weight, false, false};
  return add_counts(&adding, counts, addition);
}

enum addition_result profile_add(struct profile *profile,
                                 const struct addition *addition,
                                 struct counts **where) {
  struct function_entry *entry = find_or_add(profile, addition);
  if (!entry)
    return REFUSED_MEMORY;
  struct counts **at = &entry->counts;
  while (*at && (*at)->hash != addition->hash)
    at = &(*at)->next;
  if (where)
    *where = *at;
  if (*at && !same_shape(*at, addition))
    return REFUSED_SHAPE;
  struct adding adding = {profile, addition->weight, !*at, false};
  if (adding.first && !(*at = new_counts(profile, addition)))
    return REFUSED_MEMORY;
  if (where)
    *where = *at;
  return add_counts(&adding, *at, addition);
}
