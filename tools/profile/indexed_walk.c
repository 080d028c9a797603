/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the hash table of functions, of which only the contents matter. At its
 * offset are
 *   u64 number of buckets, number of functions, offset of each bucket, or 0;
 * and in a bucket
 *   u16 number of functions; for each u64 hash, size of name, size of data;
 *   name; data
 * The data has for each structure of the function
 *   u64 hash; from 2 on u64 number of counters; u64 each counter; from 11 on
 *   u64 size of bitmap, u64 each byte of it; from 14 on those are bytes, padded
 *   to 8, and u64 size of uniformity bits, those bytes, padded; from 3 on value
 *   data
 */
#include "indexed.h"

#include <string.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../object/digest.h"

static const char damaged[] =
    "the function table is damaged; make the file again";

/* Reads the next number from data. */
static bool read_number(struct bytes *data, uint64_t *number) {
  if (data->size < 8)
    return false;
  *number = load64(data->data, false);
  data->data += 8;
  data->size -= 8;
  return true;
}

/* The parts of a record in the file. */
struct record_pieces {
  uint64_t hash;
  struct bytes counters, bitmap, sites; /* 8 bytes a number; in bitmap,
                                           bitmap_width */
};

/* Reads `count` numbers of a width, padded to 8 bytes. */
static bool read_numbers(struct bytes *data, uint64_t count, size_t width,
                         struct bytes *numbers) {
  if (count > data->size / width || count > UINT32_MAX)
    return false;
  *numbers = (struct bytes){data->data, (size_t)count * width};
  size_t taken = (size_t)round_up_to_8(numbers->size);
  if (taken > data->size)
    return false;
  data->data += taken;
  data->size -= taken;
  return true;
}

/* Returns the size of a bitmap byte in the file. */
static size_t bitmap_width(const struct indexed_walk *walk) {
  return walk->indexed->version < INDEXED_BYTES ? 8 : 1;
}

/* Most functions have no sites; then the value data is a size and a zero. */
static bool has_no_sites(struct bytes sites) {
  return sites.size >= 8 && load64(sites.data, false) == 8;
}

static const char *parse_sites(struct indexed_walk *walk, struct bytes *data,
                               struct record_pieces *to) {
  const unsigned char *begin = data->data, *at = begin;
  const char *error = NULL;
  if (walk->indexed->version < 3)
    return NULL;
  if (has_no_sites(*data))
    at += 8;
  else
    error = sites_parse(&walk->sites, &at, begin + data->size, false);
  to->sites = (struct bytes){begin, (size_t)(at - begin)};
  data->data += to->sites.size;
  data->size -= to->sites.size;
  return error;
}

/* Uniformity bits tell which blocks of a GPU's code all lanes of a wave enter
 * together. */
static const char *check_uniformity(struct bytes *data) {
  uint64_t size = 0;
  if (!read_number(data, &size) || size > data->size)
    return damaged;
  return size ? "the profile has uniformity bits of GPU code; read the profile "
                "with the llvm-profdata that wrote it"
              : NULL;
}

/* Reads and checks a record. If it has sites, they are in walk->sites. */
static const char *parse_record(struct indexed_walk *walk, struct bytes *data,
                                struct record_pieces *to) {
  unsigned version = walk->indexed->version;
  uint64_t count, bitmap = 0;
  *to = (struct record_pieces){0};
  if (!read_number(data, &to->hash))
    return damaged;
  count = data->size / 8;
  if (version > 1 && !read_number(data, &count))
    return damaged;
  if (!read_numbers(data, count, 8, &to->counters) ||
      (version >= 11 &&
       (!read_number(data, &bitmap) ||
        !read_numbers(data, bitmap, bitmap_width(walk), &to->bitmap))))
    return damaged;
  walk->bitmaps = walk->bitmaps || bitmap;
  walk->records++;
  const char *error = version < INDEXED_BYTES ? NULL : check_uniformity(data);
  return error ? error : parse_sites(walk, data, to);
}

/* Loads a record into walk->seen. */
static const char *load_record(struct indexed_walk *walk,
                               const struct record_pieces *from) {
  size_t width = bitmap_width(walk);
  size_t count = from->counters.size / 8, bitmap = from->bitmap.size / width;
  struct counts_extra *more = &walk->seen_more;
  walk->counters.size = walk->bitmap.size = 0;
  const char *error = buffer_make_room(&walk->counters, count * 8 + 1);
  if (!error)
    error = buffer_make_room(&walk->bitmap, bitmap + 1);
  if (error)
    return error;
  uint64_t *counters = (uint64_t *)(void *)walk->counters.data;
  load64_array(counters, from->counters.data, count, false);
  for (size_t i = 0; i < bitmap; i++)
    walk->bitmap.data[i] = from->bitmap.data[width * i];
  walk->seen.more = more;
  walk->seen.hash = from->hash;
  walk->seen.counters = counters;
  walk->seen.counter_count = (uint32_t)count;
  more->bitmap = walk->bitmap.data;
  more->bitmap_size = (uint32_t)bitmap;
  memset(more->site_count, 0, sizeof more->site_count);
  for (unsigned kind = 0; kind < VALUE_KINDS && from->sites.size > 8; kind++) {
    more->sites[kind] = sites_of_kind(&walk->sites, kind);
    more->site_count[kind] = walk->sites.count[kind];
  }
  return NULL;
}

/* Adds a record to a function. reference: MD5 of its name; 0 if unknown. */
static const char *add_record(struct indexed_walk *walk,
                              const struct bucket_entry *place,
                              uint64_t reference) {
  const struct record_counts *seen = &walk->seen;
  const struct counts_extra *more = &walk->seen_more;
  struct record_counts *counts = NULL;
  struct counts_addition addition = {
      .name = (const char *)place->name.data,
      .name_size = place->name.size,
      .reference = reference ? reference : place->claimed,
      .hash = seen->hash,
      .counters = seen->counters,
      .bitmap = more->bitmap,
      .sites = {more->sites[0], more->sites[1], more->sites[2]},
      .counter_count = seen->counter_count,
      .bitmap_size = more->bitmap_size,
      .site_count = {more->site_count[0], more->site_count[1],
                     more->site_count[2]},
      .weight = walk->weight,
      .marks = true,
      .hash_cut = walk->indexed->version > 12,
      .claimed = !reference};
  enum addition_result result =
      profile_add_counts(walk->to, &addition, &counts);
  if (result == REFUSED_MEMORY)
    return out_of_memory;
  profile_report_event(walk->events, result, counts, &addition);
  return NULL;
}

/* Whether profile_add_counts would limit a count of the loaded record. */
static bool has_limited_count(const struct indexed_walk *walk, bool has_sites) {
  const struct record_counts *counts = &walk->seen;
  const struct profiled_value *list = (const void *)walk->sites.values.data;
  size_t values = has_sites ? walk->sites.values.size / sizeof *list : 0;
  bool cut = false;
  for (uint32_t i = 0; i < counts->counter_count; i++)
    cut |= counts->counters[i] > PROFILE_COUNT_MOST;
  cut = cut && !counts_are_pseudo(counts->counters, counts->counter_count);
  for (size_t i = 0; i < values; i++)
    cut |= list[i].count > PROFILE_COUNT_MOST;
  return cut;
}

/* Numbers that must be distinct; usually there is one. */
enum { DISTINCT_MOST = 64 };
struct distinct_numbers {
  uint64_t list[DISTINCT_MOST];
  unsigned count;
};

/* Returns false if the number is already in the list, or the list is full. */
static bool add_distinct_number(struct distinct_numbers *to, uint64_t number) {
  for (unsigned i = 0; i < to->count; i++)
    if (to->list[i] == number)
      return false;
  if (to->count == DISTINCT_MOST)
    return false;
  to->list[to->count++] = number;
  return true;
}

/* Passes the loaded record to walk->see. */
static void visit_record(struct indexed_walk *walk,
                         const struct bucket_entry *place, bool has_sites,
                         struct distinct_numbers *hashes) {
  uint64_t bits = walk->indexed->flags & PROFILE_FRONT_END ? PROFILE_CUT_HASH
                                                           : UINT64_MAX;
  if (walk->alone)
    walk->wrong = walk->wrong || has_limited_count(walk, has_sites) ||
                  !add_distinct_number(hashes, walk->seen.hash & bits);
  walk->see(walk->context, &place->name, &walk->seen);
}

/* Checks the records of a function. Adds them to the profile, if there is one,
 * under this MD5 of its name (0 if unknown); otherwise passes them to
 * walk->see, if that is set. */
static const char *read_records(struct indexed_walk *walk,
                                const struct bucket_entry *place,
                                uint64_t reference) {
  struct distinct_numbers hashes;
  struct record_pieces pieces;
  struct bytes data = place->data;
  const char *error = NULL;
  hashes.count = 0;
  while (data.size && !error) {
    error = parse_record(walk, &data, &pieces);
    if (error || !(walk->to || walk->see))
      continue;
    error = load_record(walk, &pieces);
    if (error)
      continue;
    if (walk->to)
      error = add_record(walk, place, reference);
    else
      visit_record(walk, place, pieces.sites.size > 8, &hashes);
  }
  return error;
}

const struct record_counts *indexed_walk_load_record(struct indexed_walk *walk,
                                                     struct bytes name,
                                                     uint64_t hash) {
  struct record_pieces pieces;
  struct bytes data = {name.data + name.size,
                       (size_t)load64(name.data - 8, false)};
  while (!parse_record(walk, &data, &pieces) && pieces.hash != hash)
    ;
  (void)load_record(walk, &pieces); /* the space has been allocated */
  return &walk->seen;
}

/* Whether the other window contains the name, and so confirms its MD5. */
static bool is_known_name(const struct indexed_walk *walk,
                          const struct bucket_entry *place) {
  const struct function_entry *function =
      walk->other ? profile_find_function(walk->other, place->claimed) : NULL;
  return function && function->name_size == place->name.size &&
         !memcmp(function->name, place->name.data, place->name.size);
}

/* Whether the MD5s of the waiting functions are as the file claims. */
static bool claims_hold(const struct indexed_walk *walk) {
  uint64_t claims[WAITING_MOST], sums[WAITING_MOST];
  struct bytes names[WAITING_MOST] = {{NULL, 0}};
  size_t count = 0;
  for (unsigned i = 0; i < walk->waiting_count; i++)
    if (!is_known_name(walk, &walk->waiting[i])) {
      claims[count] = walk->waiting[i].claimed;
      names[count++] = walk->waiting[i].name;
    }
  md5_low64_all(names, count, sums);
  return !memcmp(claims, sums, count * sizeof *sums);
}

/* Adds the waiting functions, unless they are only seen. MD5 is faster for many
 * names at once, and unnecessary if the profile has these functions in the same
 * order. */
const char *indexed_walk_add_waiting(struct indexed_walk *walk) {
  uint64_t references[WAITING_MOST] = {0};
  struct bytes names[WAITING_MOST];
  const struct bucket_entry *first = walk->waiting;
  unsigned count = walk->waiting_count;
  const char *error = NULL;
  bool claimed = walk->windows && claims_hold(walk);
  walk->wrong = walk->wrong || (walk->windows && !claimed);
  walk->waiting_count = 0;
  for (unsigned i = 0; i < count && claimed; i++)
    references[i] = first[i].claimed;
  if (count && !claimed && walk->to &&
      !profile_is_next_name(walk->to, (const char *)first->name.data,
                            first->name.size)) {
    for (unsigned i = 0; i < count; i++)
      names[i] = first[i].name;
    md5_low64_all(names, count, references);
  }
  for (unsigned i = 0; i < count && walk->to && !error; i++)
    error = read_records(walk, &first[i], references[i]);
  return error;
}

/* Adds a function of the most common form in later files: the profile's next
 * one, with a single record without bitmap and sites. Returns false if it may
 * have another form. */
static bool add_plain_function(struct indexed_walk *walk,
                               const struct bucket_entry *place) {
  enum { HASH = 8, COUNT = 8, BITMAP = 8, UNIFORMITY = 8, SITES = 8 };
  enum { HEAD = HASH + COUNT };
  const unsigned char *data = place->data.data;
  size_t size = place->data.size;
  size_t before_sites =
      walk->indexed->version < INDEXED_BYTES ? BITMAP : BITMAP + UNIFORMITY;
  size_t numbers = HEAD + before_sites + SITES;
  if (walk->indexed->version < 11 || walk->weight != 1 || size < numbers)
    return false;
  size_t counters = (size - numbers) / 8;
  const unsigned char *bitmap = data + HEAD + counters * 8;
  const struct plain_record record = {data + HEAD, (uint32_t)counters,
                                      walk->indexed->version > 12,
                                      load64(data, false)};
  if (size % 8 || load64(data + HASH, false) != counters ||
      counters > UINT32_MAX || load64(bitmap, false) ||
      load64(bitmap + before_sites - 8, false) ||
      load64(bitmap + before_sites, false) != SITES ||
      !profile_add_next_counts(walk->to, &record))
    return false;
  walk->records++;
  return true;
}

static const char *read_function(struct indexed_walk *walk,
                                 const struct bucket_entry *place) {
  if (walk->to && !walk->waiting_count && !walk->windows &&
      profile_is_next_name(walk->to, (const char *)place->name.data,
                           place->name.size))
    return add_plain_function(walk, place) ? NULL
                                           : read_records(walk, place, 0);
  if (place->name.size == 0 || memchr(place->name.data, 0, place->name.size))
    return damaged;
  const char *error = walk->to ? NULL : read_records(walk, place, 0);
  if (!walk->to && !walk->alone)
    return error;
  walk->waiting[walk->waiting_count++] = *place;
  return error || walk->waiting_count < WAITING_MOST
             ? error
             : indexed_walk_add_waiting(walk);
}

struct bytes indexed_walk_find_name(const struct indexed_walk *walk,
                                    uint64_t reference) {
  const struct indexed_profile *indexed = walk->indexed;
  size_t at = (size_t)indexed_load_number(
      indexed,
      indexed->table + 16 + (size_t)(reference & (walk->buckets - 1)) * 8);
  unsigned count = at ? load16(indexed->file.data + at, false) : 0;
  for (at += 2; count--;) {
    size_t name_size = (size_t)indexed_load_number(indexed, at + 8);
    size_t data_size = (size_t)indexed_load_number(indexed, at + 16);
    if (indexed_load_number(indexed, at) == reference && data_size)
      return (struct bytes){indexed->file.data + at + 24, name_size};
    at += 24 + name_size + data_size;
  }
  return (struct bytes){NULL, 0};
}

/* Returns `size` bytes at *at, before the table, and advances *at. No byte is
 * taken twice, since shared buckets could take unlimited time. */
static const unsigned char *claim_bytes(struct indexed_walk *walk, size_t *at,
                                        uint64_t size) {
  if (size > walk->left || size > walk->indexed->table - *at)
    return NULL;
  const unsigned char *bytes = walk->indexed->file.data + *at;
  walk->left -= (size_t)size;
  *at += (size_t)size;
  return bytes;
}

/* Buckets follow one another in the file, so the next bytes are prefetched. */
PREFETCHES void prefetch_bytes(const struct indexed_profile *indexed,
                               size_t at) {
  enum { AHEAD = 512, LINE = 64, LINES = 4 };
  if (!indexed_has_bytes(indexed, at, AHEAD + LINE * LINES))
    return;
  for (unsigned i = 0; i < LINES; i++)
    __builtin_prefetch(indexed->file.data + at + AHEAD + LINE * i);
}

static const char *read_bucket(struct indexed_walk *walk, size_t at,
                               uint64_t number) {
  const unsigned char *bytes = claim_bytes(walk, &at, 2);
  const char *error = NULL;
  unsigned count = bytes ? load16(bytes, false) : 0;
  struct distinct_numbers claims;
  claims.count = 0;
  if (!count)
    return damaged;
  walk->functions += count;
  for (unsigned i = 0; i < count && !error; i++) {
    bytes = claim_bytes(walk, &at, 24);
    if (!bytes)
      return damaged;
    prefetch_bytes(walk->indexed, at);
    uint64_t name_size = load64(bytes + 8, false);
    uint64_t data_size = load64(bytes + 16, false);
    struct bucket_entry place = {.claimed = load64(bytes, false)};
    walk->wrong = walk->wrong ||
                  (place.claimed & (walk->buckets - 1)) != number ||
                  (walk->alone && !add_distinct_number(&claims, place.claimed));
    place.name =
        (struct bytes){claim_bytes(walk, &at, name_size), (size_t)name_size};
    if (!place.name.data)
      return damaged;
    place.data =
        (struct bytes){claim_bytes(walk, &at, data_size), (size_t)data_size};
    if (!place.data.data)
      return damaged;
    error = read_function(walk, &place);
  }
  return error;
}

/* Releases the file up to this offset. Waiting functions are read again when
 * they are added. */
static void release_file_until(struct indexed_walk *walk, size_t at) {
  enum { PIECE = 1 << 22 };
  if (at < walk->forgotten || at - walk->forgotten < PIECE)
    return;
  file_release_part(walk->indexed->file.data + walk->forgotten,
                    at - walk->forgotten);
  walk->forgotten = at;
}

/* Reads the buckets from first to end. */
const char *indexed_walk_read_buckets(struct indexed_walk *walk, uint64_t first,
                                      uint64_t end) {
  const struct indexed_profile *indexed = walk->indexed;
  size_t at = indexed->table + 16 + (size_t)first * 8;
  const char *error = NULL;
  for (uint64_t i = first; i < end && !error; i++, at += 8) {
    uint64_t bucket = indexed_load_number(indexed, at);
    if (bucket > indexed->table)
      return damaged;
    if (!bucket)
      continue;
    error = read_bucket(walk, (size_t)bucket, i);
    release_file_until(walk, (size_t)bucket);
  }
  return error;
}

void indexed_walk_rewind(struct indexed_walk *walk) {
  walk->left = walk->indexed->table;
  walk->forgotten = 0;
  walk->functions = walk->records = 0;
}

const char *indexed_walk_open(struct indexed_walk *walk) {
  const struct indexed_profile *indexed = walk->indexed;
  if (!indexed_has_bytes(indexed, indexed->table, 16))
    return damaged;
  walk->buckets = indexed_load_number(indexed, indexed->table);
  walk->expected = indexed_load_number(indexed, indexed->table + 8);
  /* A function takes at least 24 bytes. */
  if (!walk->buckets || walk->buckets & (walk->buckets - 1) ||
      walk->buckets > (indexed->file.size - indexed->table - 16) / 8 ||
      walk->expected > indexed->table / 24)
    return damaged;
  indexed_walk_rewind(walk);
  return NULL;
}

const char *indexed_walk_read_all(struct indexed_walk *walk) {
  const char *error = indexed_walk_open(walk);
  if (error)
    return error;
  if (walk->to && !profile_reserve(walk->to, (size_t)walk->expected))
    return out_of_memory;
  error = indexed_walk_read_buckets(walk, 0, walk->buckets);
  if (!error)
    error = indexed_walk_add_waiting(walk);
  return error || walk->functions == walk->expected ? error : damaged;
}

void indexed_walk_begin(struct indexed_walk *walk,
                        const struct indexed_profile *indexed,
                        struct profile *to) {
  *walk = (struct indexed_walk){.indexed = indexed,
                                .to = to,
                                .weight = 1,
                                .counters = {.limit = indexed->file.size + 1},
                                .bitmap = {.limit = indexed->file.size + 1}};
  sites_new(&walk->sites);
}

void indexed_walk_end(struct indexed_walk *walk) {
  sites_free(&walk->sites);
  buffer_free(&walk->counters);
  buffer_free(&walk->bitmap);
}
