/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds records to the table of functions of a profile. value_sites.c and
 * profile_sort.c handle the other parts of a profile.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/os.h"
#include "../object/digest.h"

enum { FIRST_BUCKETS = 1024 };

void profile_init(struct profile *profile, size_t limit) {
  *profile = (struct profile){.arena = {.limit = limit},
                              .kept = {.limit = limit},
                              .vtables = {.limit = limit},
                              .ids = {.limit = limit}};
}

bool profile_own_memory(struct profile *profile, void *memory) {
  return !buffer_append_bytes(&profile->kept, &memory, sizeof memory);
}

void profile_free(struct profile *profile) {
  void **kept = (void **)(void *)profile->kept.data;
  for (size_t i = 0; i < profile->kept.size / sizeof *kept; i++)
    free(kept[i]);
  buffer_free(&profile->kept);
  arena_free(&profile->arena);
  buffer_free(&profile->vtables);
  buffer_free(&profile->ids);
  free(profile->buckets);
  free(profile->arrived);
  for (size_t i = 0; i < profile->trace_count; i++)
    free(profile->traces[i].functions);
  free(profile->traces);
  *profile = (struct profile){0};
}

void profile_clear_functions(struct profile *profile) {
  arena_clear(&profile->arena);
  if (profile->bucket_count)
    memset(profile->buckets, 0,
           profile->bucket_count * sizeof *profile->buckets);
  profile->function_count = profile->record_count = profile->next = 0;
}

/* ---- functions ---- */

/* Makes space for a number of functions, one for each bucket. */
static bool grow_buckets(struct profile *profile, size_t functions) {
  size_t count =
      profile->bucket_count ? profile->bucket_count : (size_t)FIRST_BUCKETS;
  while (count < functions)
    count *= 2;
  struct function_entry **arrived =
      realloc(profile->arrived, count * sizeof *arrived);
  if (!arrived)
    return false;
  profile->arrived = os_use_large_pages(arrived, count * sizeof *arrived);
  struct function_entry **buckets = os_use_large_pages(
      calloc(count, sizeof *buckets), count * sizeof *buckets);
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

bool profile_reserve_functions(struct profile *profile, size_t more) {
  size_t functions = profile->function_count + more;
  return functions <= profile->bucket_count || grow_buckets(profile, functions);
}

static struct function_entry *find_function(const struct profile *profile,
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

bool profile_is_next_name(const struct profile *profile, const char *name,
                          size_t name_size) {
  if (profile->next >= profile->function_count)
    return false;
  const struct function_entry *guess = profile->arrived[profile->next];
  return guess->name_size == name_size &&
         memcmp(guess->name, name, name_size) == 0;
}

/* Finds the function without its MD5, because it is slow to compute MD5. */
static struct function_entry *
find_function_without_hashing(const struct profile *profile,
                              const struct counts_addition *addition) {
  if (profile_is_next_name(profile, addition->name, addition->name_size))
    return profile->arrived[profile->next];
  return addition->reference
             ? find_function(profile, addition->name, addition->name_size,
                             addition->reference)
             : NULL;
}

static struct function_entry *
create_function(struct profile *profile, const struct counts_addition *addition,
                uint64_t reference) {
  const char *name = addition->name;
  size_t name_size = addition->name_size;
  if (name_size > UINT32_MAX || !profile_reserve_functions(profile, 1))
    return NULL;
  struct function_entry *entry = arena_allocate(&profile->arena, sizeof *entry);
  if (!addition->lasting)
    name = arena_copy(&profile->arena, name, name_size);
  if (!entry || !name)
    return NULL;
  struct function_entry **to =
      &profile->buckets[reference & (profile->bucket_count - 1)];
  *entry = (struct function_entry){.next = *to,
                                   .name = name,
                                   .name_size = (uint32_t)name_size,
                                   .number = (uint32_t)profile->function_count,
                                   .reference = reference};
  *to = entry;
  profile->arrived[profile->function_count++] = entry;
  profile->has_colons = profile->has_colons || memchr(name, ':', name_size);
  profile->has_semicolons =
      profile->has_semicolons || memchr(name, ';', name_size);
  return entry;
}

static struct function_entry *
find_or_add_function(struct profile *profile,
                     const struct counts_addition *addition) {
  struct function_entry *entry =
      find_function_without_hashing(profile, addition);
  uint64_t reference = addition->reference;
  if (!entry && (!reference || addition->claimed)) {
    reference = md5_low64(addition->name, addition->name_size);
    entry =
        find_function(profile, addition->name, addition->name_size, reference);
  }
  if (!entry)
    entry = create_function(profile, addition, reference);
  if (entry)
    profile->next = entry->number + (size_t)1;
  return entry;
}

/* ---- counts ---- */

/* Adds counters if all sums stay far below the limit, which is the usual case,
 * so no single sum is tested. Returns false if a counter is too large; then
 * nothing was added. */
static inline bool add_small_counters(uint64_t *restrict sums,
                                      const uint64_t *restrict counters,
                                      uint32_t count) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < count; i++) {
    all |= sums[i] | counters[i];
    sums[i] += counters[i];
  }
  if (all < UINT64_C(1) << 62)
    return true;
  for (uint32_t i = 0; i < count; i++)
    sums[i] -= counters[i];
  return false;
}

/* Adds counters. Returns true if a sum was limited to the largest count. */
static bool add_counters(struct record_counts *to, const uint64_t *counters,
                         uint64_t weight) {
  bool cut = false;
  if (weight == 1 &&
      add_small_counters(to->counters, counters, to->counter_count))
    return false;
  for (uint32_t i = 0; i < to->counter_count; i++)
    to->counters[i] = count_add_limited(
        to->counters[i], count_multiply_limited(counters[i], weight, &cut),
        &cut);
  return cut;
}

/* The place of a new record in a function's tree: below a record, or first. */
struct record_place {
  struct record_counts *above;
  unsigned side;
};

/* Returns the record with this hash, or NULL and the place for a new record.
 * The records of a function form a tree over the bits of the hash, so that a
 * search among many records is fast. */
static struct record_counts *
find_counts_or_place(const struct profile *profile,
                     const struct function_entry *entry, uint64_t hash,
                     struct record_place *place) {
  struct record_counts *at = entry->counts;
  uint64_t bits = hash = profile_comparable_hash(profile, hash);
  *place = (struct record_place){NULL, 0};
  for (; at && profile_comparable_hash(profile, at->hash) != hash; bits >>= 1) {
    *place = (struct record_place){at, bits & 1};
    at = at->more->below[bits & 1];
  }
  return at;
}

/* The parts of all records without rare parts; nobody writes to this struct. */
static const struct rare_record_parts no_extra;

/* Gives a record its own rare_record_parts. */
static bool allocate_rare_parts(struct profile *profile,
                                struct record_counts *counts) {
  if (counts->more == &no_extra)
    counts->more = arena_allocate(&profile->arena, sizeof *counts->more);
  return counts->more != NULL;
}

static bool link_record(struct profile *profile, struct function_entry *entry,
                        struct record_counts *counts,
                        const struct record_place *place) {
  struct record_counts *first = entry->counts;
  if (!first) {
    entry->counts = counts;
    return true;
  }
  if (!allocate_rare_parts(profile, place->above) ||
      !allocate_rare_parts(profile, first))
    return false;
  struct record_counts **last = &first->more->last;
  place->above->more->below[place->side] = counts;
  (*last ? *last : first)->next = counts;
  *last = counts;
  profile->several = true;
  return true;
}

/* Keeps the full hash if a record comes both from LLVM 22 and from an older
 * release. A hash with more bits than the truncated hash is a full hash. */
static void keep_fuller_hash(struct profile *profile,
                             struct record_counts *counts,
                             const struct counts_addition *addition) {
  if (counts->hash < addition->hash)
    counts->hash = addition->hash;
  if (counts->hash_cut &&
      (!addition->hash_cut || counts->hash > PROFILE_CUT_HASH)) {
    counts->hash_cut = false;
    profile->hashes_cut--;
  }
}

/* ---- bitmaps and sites ---- */

/* Adds the set bits of a bitmap to the record's bitmap. The record's first
 * bitmap decides the size. */
static enum addition_result add_bitmap(struct addition_state *adding,
                                       struct rare_record_parts *more,
                                       const struct counts_addition *addition) {
  struct profile *profile = adding->profile;
  uint32_t size = addition->bitmap_size, had = more->bitmap_size;
  if (size && !had) {
    more->bitmap = arena_allocate(&profile->arena, size);
    if (!more->bitmap)
      return REFUSED_MEMORY;
    more->bitmap_size = size;
    profile->has_bitmaps = true;
  }
  if (size && size != more->bitmap_size)
    return ADDED_NO_BITMAP;
  for (uint32_t i = 0; i < size; i++)
    more->bitmap[i] |= addition->bitmap[i];
  return size == had || adding->first ? ADDED : ADDED_ONE_BITMAP;
}

/* Adds the sites of a kind. The sites of a merged record are sorted, even if
 * the addition lacks values for the sites. */
static enum addition_result add_sites(struct addition_state *adding,
                                      struct rare_record_parts *more,
                                      unsigned kind,
                                      const struct counts_addition *addition) {
  static const struct value_site nothing;
  struct profile *profile = adding->profile;
  uint32_t count = addition->site_count[kind], had = more->site_count[kind];
  if (count && !had) {
    more->sites[kind] =
        arena_allocate(&profile->arena, count * sizeof *more->sites[kind]);
    if (!more->sites[kind])
      return REFUSED_MEMORY;
    more->site_count[kind] = count;
    profile->has_sites[kind] = true;
  }
  bool same = count == more->site_count[kind];
  for (uint32_t i = 0; i < more->site_count[kind]; i++)
    if (!site_add_values(adding, &more->sites[kind][i],
                         same ? &addition->sites[kind][i] : &nothing))
      return REFUSED_MEMORY;
  if (count == had || adding->first)
    return ADDED;
  return same || !count ? ADDED_ONE_SITES : ADDED_NO_SITES;
}

static enum addition_result
add_bitmap_and_sites(struct addition_state *adding,
                     struct record_counts *counts,
                     const struct counts_addition *addition) {
  bool has = addition->bitmap_size || addition_has_sites(addition);
  if (!has && counts->more == &no_extra)
    return ADDED;
  if (has && !allocate_rare_parts(adding->profile, counts))
    return REFUSED_MEMORY;
  unsigned result = add_bitmap(adding, counts->more, addition);
  for (unsigned kind = 0; kind < VALUE_KINDS && result < REFUSED_MEMORY; kind++)
    result |= add_sites(adding, counts->more, kind, addition);
  return result < REFUSED_MEMORY ? result : REFUSED_MEMORY;
}

static struct record_counts *
create_empty_record(struct profile *profile,
                    const struct counts_addition *addition) {
  struct record_counts *counts =
      arena_allocate(&profile->arena, sizeof *counts);
  if (!counts)
    return NULL;
  counts->more = (struct rare_record_parts *)(uintptr_t)&no_extra;
  counts->hash = addition->hash;
  counts->hash_cut = addition->hash_cut && profile->flags & PROFILE_FRONT_END &&
                     counts->hash <= PROFILE_CUT_HASH;
  profile->hashes_cut += counts->hash_cut;
  counts->counter_count = addition->counter_count;
  counts->source = profile->source;
  profile->record_count++;
  profile->has_cs = profile->has_cs || addition->hash & PROFILE_CS_HASH;
  counts->lent = addition->lasting;
  if (counts->lent)
    counts->counters = (uint64_t *)(uintptr_t)addition->counters;
  else
    counts->counters =
        arena_allocate(&profile->arena, addition->counter_count * (size_t)8);
  return counts->counters ? counts : NULL;
}

/* Replaces lent counters with a copy that the profile owns. */
static bool copy_lent_counters(struct profile *profile,
                               struct record_counts *counts) {
  size_t size = counts->counter_count * sizeof *counts->counters;
  uint64_t *own = arena_allocate(&profile->arena, size);
  if (!own)
    return false;
  memcpy(own, counts->counters, size);
  counts->counters = own;
  counts->lent = false;
  return true;
}

static enum addition_result
add_counts_to_record(struct addition_state *adding,
                     struct record_counts *counts,
                     const struct counts_addition *addition) {
  if (counts->lent && !adding->first &&
      !copy_lent_counters(adding->profile, counts))
    return REFUSED_MEMORY;
  adding->sorted = counts->merged;
  counts->merged += !adding->first;
  if (adding->pseudo) {
    /* The sum of hot and warm is hot. Only the first counter of a mark is used.
     */
    for (uint32_t i = 0; i < (adding->first ? counts->counter_count : 1); i++)
      if (addition->counters[i] > counts->counters[i])
        counts->counters[i] = addition->counters[i];
    if (!adding->first)
      return ADDED;
  } else if (!counts->lent) {
    adding->cut = add_counters(counts, addition->counters, addition->weight);
  }
  enum addition_result more = add_bitmap_and_sites(adding, counts, addition);
  return adding->cut && more != REFUSED_MEMORY ? more | ADDED_OVERFLOW : more;
}

enum addition_result
profile_add_to_counts(struct profile *profile, struct record_counts *counts,
                      const struct counts_addition *addition) {
  struct addition_state adding = {.profile = profile,
                                  .weight = addition->weight};
  return add_counts_to_record(&adding, counts, addition);
}

/* Does the same as add_small_counters, with little-endian counters in a file.
 */
static inline bool add_small_counters_from(uint64_t *sums,
                                           const unsigned char *counters,
                                           uint32_t count) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t counter = load64(counters + (size_t)8 * i, false);
    all |= sums[i] | counter;
    sums[i] += counter;
  }
  if (all < UINT64_C(1) << 62)
    return true;
  for (uint32_t i = 0; i < count; i++)
    sums[i] -= load64(counters + (size_t)8 * i, false);
  return false;
}

bool profile_add_next_counts(struct profile *profile,
                             const struct counters_only_record *from) {
  struct record_counts *counts = profile->arrived[profile->next]->counts;
  if (!counts || counts->next || counts->hash != from->hash ||
      counts->counter_count != from->counter_count ||
      counts->more != &no_extra || counts->lent ||
      (counts->hash_cut && !from->hash_cut) ||
      !add_small_counters_from(counts->counters, from->counters,
                               from->counter_count))
    return false;
  counts->merged++;
  profile->next++;
  return true;
}

enum addition_result profile_add_counts(struct profile *profile,
                                        const struct counts_addition *addition,
                                        struct record_counts **where) {
  struct function_entry *entry = find_or_add_function(profile, addition);
  if (!entry)
    return REFUSED_MEMORY;
  struct record_place place;
  struct record_counts *counts =
      find_counts_or_place(profile, entry, addition->hash, &place);
  if (where)
    *where = counts;
  bool pseudo = addition->marks &&
                counts_are_pseudo(addition->counters, addition->counter_count);
  if (counts &&
      (counts->counter_count != addition->counter_count ||
       counts_are_pseudo(counts->counters, counts->counter_count) != pseudo))
    return REFUSED_SHAPE;
  struct addition_state adding = {.profile = profile,
                                  .weight = addition->weight,
                                  .first = !counts,
                                  .pseudo = pseudo};
  if (adding.first) {
    counts = create_empty_record(profile, addition);
    if (!counts || !link_record(profile, entry, counts, &place))
      return REFUSED_MEMORY;
  }
  if (where)
    *where = counts;
  keep_fuller_hash(profile, counts, addition);
  return add_counts_to_record(&adding, counts, addition);
}
