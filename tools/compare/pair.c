/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads two profiles, and steps through the functions of both. comparison.h
 * describes the interface.
 */
#include "comparison.h"

#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../profile/gather.h"

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
    return "one profile is of the front end (-fprofile-instr-generate), the "
           "other of IR (-fprofile-generate); compare two of one kind";
  if (other & PROFILE_BYTES && a->function_count && b->function_count)
    return "one profile counts, the other only says whether code ran; compare "
           "two of one kind";
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

void pair_look(struct record_pair *pair, int side, windows_see *see,
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

bool pair_next(struct record_pair *pair, struct pair_step *step) {
  while (!next_of_window(pair, step))
    if (!next_window(pair, step))
      return false;
  return true;
}

const char *pair_keep(struct record_pair *pair, const struct pair_step *step) {
  return pair->windows ? arena_copy(&pair->kept, step->name, strlen(step->name))
                       : step->name;
}

/* By hash; A's record before B's. */
ORDER_BY(by_hash, struct compared_records, x->hash, !x->sides[SIDE_A]);

bool pair_records(struct record_pair *pair, const struct pair_step *step,
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

bool counts_alike(const struct counts *a, const struct counts *b) {
  bool alike = a->counter_count == b->counter_count;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    alike = alike && a->more->site_count[kind] == b->more->site_count[kind];
  return alike;
}

bool name_wanted(const char *name, const char *text) {
  return !text || strstr(name, text);
}
