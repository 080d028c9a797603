/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads an indexed profile: the header, and the functions of the hash table.
 * The sections behind: indexed_parts.c.
 */
#include "indexed_read.h"

#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../object/md5.h"
#include "indexed_parts.h"
#include "sites_read.h"

/* ==== The hash table. Only its contents are used. At its offset are
 *   u64 number of buckets, number of functions, offset of each bucket, or 0;
 * and in a bucket
 *   u16 number of functions; of each u64 hash, size of name, size of data;
 *   name; data
 * Data is, of each structure of the function,
 *   u64 hash; from 2 on u64 number of counters; u64 each counter; from 11 on
 *   u64 size of bitmap, u64 each byte of it; from 3 on value data */

static const char damaged[] =
    "its table of functions is damaged; make the file again";

/* A function of a bucket. */
struct place {
  uint64_t claimed; /* the MD5 of its name, as the file says */
  struct bytes name, data;
};

enum { WAITING_MOST = 64 };

struct walk {
  const struct indexed *indexed;
  struct profile *to; /* or NULL: look only */
  bool bitmaps;       /* there are some */
  uint64_t weight;
  const struct read_events *events;
  size_t left; /* bytes that functions may still take, so that no byte is
                  read twice */
  size_t forgotten; /* so much of the file takes no memory */
  struct place waiting[WAITING_MOST]; /* functions to be added together */
  unsigned waiting_count;
  struct buffer counters, bitmap;
  struct sites sites;
};

/* The next number of data. */
static bool take_number(struct bytes *data, uint64_t *number) {
  if (data->size < 8)
    return false;
  *number = load64(data->data, false);
  data->data += 8;
  data->size -= 8;
  return true;
}

/* The pieces of a record, where they are in the file. */
struct record_pieces {
  uint64_t hash;
  struct bytes counters, bitmap, sites; /* 8 bytes a number */
};

/* Takes so many numbers. */
static bool take_numbers(struct bytes *data, uint64_t count,
                         struct bytes *numbers) {
  if (count > data->size / 8 || count > UINT32_MAX)
    return false;
  *numbers = (struct bytes){data->data, (size_t)count * 8};
  data->data += numbers->size;
  data->size -= numbers->size;
  return true;
}

/* Most functions have no sites: of those, value data is a size and a zero. */
static bool no_sites(struct bytes sites) {
  return sites.size >= 8 && load64(sites.data, false) == 8;
}

static const char *take_sites(struct walk *walk, struct bytes *data,
                              struct record_pieces *to) {
  const unsigned char *begin = data->data, *at = begin;
  const char *error = NULL;
  if (walk->indexed->version < 3)
    return NULL;
  if (no_sites(*data))
    at += 8;
  else
    error = sites_read(&walk->sites, &at, begin + data->size, false);
  to->sites = (struct bytes){begin, (size_t)(at - begin)};
  data->data += to->sites.size;
  data->size -= to->sites.size;
  return error;
}

/* Takes a record, and checks it. If it has sites, they are in walk->sites. */
static const char *take_record(struct walk *walk, struct bytes *data,
                               struct record_pieces *to) {
  unsigned version = walk->indexed->version;
  uint64_t count, bitmap = 0;
  *to = (struct record_pieces){0};
  if (!take_number(data, &to->hash))
    return damaged;
  count = data->size / 8;
  if (version > 1 && !take_number(data, &count))
    return damaged;
  if (!take_numbers(data, count, &to->counters) ||
      (version >= 11 && (!take_number(data, &bitmap) ||
                         !take_numbers(data, bitmap, &to->bitmap))))
    return damaged;
  walk->bitmaps = walk->bitmaps || bitmap;
  return take_sites(walk, data, to);
}

/* Copies a record's numbers to where an addition can have them. */
static const char *load_record(struct walk *walk,
                               const struct record_pieces *from,
                               struct addition *to) {
  size_t count = from->counters.size / 8, bitmap = from->bitmap.size / 8;
  walk->counters.size = walk->bitmap.size = 0;
  const char *error = buffer_room(&walk->counters, count * 8 + 1);
  if (!error)
    error = buffer_room(&walk->bitmap, bitmap + 1);
  if (error)
    return error;
  uint64_t *counters = (uint64_t *)(void *)walk->counters.data;
  load64s(counters, from->counters.data, count, false);
  for (size_t i = 0; i < bitmap; i++)
    walk->bitmap.data[i] = from->bitmap.data[8 * i];
  to->hash = from->hash;
  to->counters = counters;
  to->counter_count = (uint32_t)count;
  to->bitmap = walk->bitmap.data;
  to->bitmap_size = (uint32_t)bitmap;
  for (unsigned kind = 0; kind < VALUE_KINDS && from->sites.size > 8; kind++) {
    to->sites[kind] = sites_list(&walk->sites, kind);
    to->site_count[kind] = walk->sites.count[kind];
  }
  return NULL;
}

static const char *add_record(struct walk *walk, struct addition *addition,
                              const struct record_pieces *pieces) {
  struct counts *counts = NULL;
  const char *error = load_record(walk, pieces, addition);
  if (error)
    return error;
  enum addition_result result = profile_add(walk->to, addition, &counts);
  if (result == REFUSED_MEMORY)
    return out_of_memory;
  read_event(walk->events, result, counts, addition);
  return NULL;
}

/* Checks the records of a function; or adds them to a function whose name has
 * this MD5, 0 if that is not known. */
static const char *read_records(struct walk *walk, const struct place *place,
                                uint64_t reference, bool add) {
  struct record_pieces pieces;
  struct bytes data = place->data;
  const char *error = NULL;
  while (data.size && !error) {
    error = take_record(walk, &data, &pieces);
    if (error || !add)
      continue;
    struct addition addition = {.name = (const char *)place->name.data,
                                .name_size = place->name.size,
                                .reference =
                                    reference ? reference : place->claimed,
                                .claimed = !reference,
                                .weight = walk->weight,
                                .marks = true,
                                .hash_cut = walk->indexed->version > 12};
    error = add_record(walk, &addition, &pieces);
  }
  return error;
}

/* Adds the functions that wait. MD5 is faster on many names; and not needed if
 * the profile has these functions in this order. */
static const char *add_waiting(struct walk *walk) {
  uint64_t references[WAITING_MOST] = {0};
  struct bytes names[WAITING_MOST];
  const struct place *first = walk->waiting;
  unsigned count = walk->waiting_count;
  const char *error = NULL;
  walk->waiting_count = 0;
  if (count && !profile_is_next(walk->to, (const char *)first->name.data,
                                first->name.size)) {
    for (unsigned i = 0; i < count; i++)
      names[i] = first[i].name;
    md5_low64_all(names, count, references);
  }
  for (unsigned i = 0; i < count && !error; i++)
    error = read_records(walk, &first[i], references[i], true);
  return error;
}

static const char *read_function(struct walk *walk, const struct place *place) {
  if (place->name.size == 0 || memchr(place->name.data, 0, place->name.size))
    return damaged;
  if (!walk->to)
    return read_records(walk, place, 0, false);
  walk->waiting[walk->waiting_count++] = *place;
  return walk->waiting_count == WAITING_MOST ? add_waiting(walk) : NULL;
}

/* Takes so many bytes at *at, before the table. No byte is taken twice, because
 * shared buckets could take unlimited time. */
static const unsigned char *take_bytes(struct walk *walk, size_t *at,
                                       uint64_t size) {
  if (size > walk->left || size > walk->indexed->table - *at)
    return NULL;
  const unsigned char *bytes = walk->indexed->file.data + *at;
  walk->left -= (size_t)size;
  *at += (size_t)size;
  return bytes;
}

/* Buckets follow one another in the file. */
PREFETCHES void fetch_ahead(const struct indexed *indexed, size_t at) {
  enum { AHEAD = 512, LINE = 64, LINES = 4 };
  if (!indexed_has(indexed, at, AHEAD + LINE * LINES))
    return;
  for (unsigned i = 0; i < LINES; i++)
    __builtin_prefetch(indexed->file.data + at + AHEAD + LINE * i);
}

static const char *read_bucket(struct walk *walk, size_t at,
                               uint64_t *functions) {
  const unsigned char *bytes = take_bytes(walk, &at, 2);
  const char *error = NULL;
  unsigned count = bytes ? load16(bytes, false) : 0;
  if (!count)
    return damaged;
  *functions += count;
  for (unsigned i = 0; i < count && !error; i++) {
    bytes = take_bytes(walk, &at, 24);
    if (!bytes)
      return damaged;
    fetch_ahead(walk->indexed, at);
    uint64_t name_size = load64(bytes + 8, false);
    uint64_t data_size = load64(bytes + 16, false);
    struct place place = {.claimed = load64(bytes, false)};
    place.name =
        (struct bytes){take_bytes(walk, &at, name_size), (size_t)name_size};
    if (!place.name.data)
      return damaged;
    place.data =
        (struct bytes){take_bytes(walk, &at, data_size), (size_t)data_size};
    if (!place.data.data)
      return damaged;
    error = read_function(walk, &place);
  }
  return error;
}

/* Forgets the file up to here. Functions that still wait are read again. */
static void forget(struct walk *walk, size_t at) {
  enum { PIECE = 1 << 22 };
  if (at < walk->forgotten || at - walk->forgotten < PIECE)
    return;
  file_passed(walk->indexed->file.data + walk->forgotten, at - walk->forgotten);
  walk->forgotten = at;
}

static const char *read_table(struct walk *walk) {
  const struct indexed *indexed = walk->indexed;
  if (!indexed_has(indexed, indexed->table, 16))
    return damaged;
  uint64_t buckets = indexed_load(indexed, indexed->table);
  uint64_t expected = indexed_load(indexed, indexed->table + 8);
  size_t at = indexed->table + 16;
  uint64_t functions = 0;
  const char *error = NULL;
  if (!buckets || buckets & (buckets - 1) ||
      buckets > (indexed->file.size - at) / 8)
    return damaged;
  walk->left = indexed->table;
  /* Each takes 24 bytes and more. */
  if (walk->to && expected <= indexed->table / 24 &&
      !profile_expect(walk->to, (size_t)expected))
    return out_of_memory;
  for (uint64_t i = 0; i < buckets && !error; i++, at += 8) {
    uint64_t bucket = indexed_load(indexed, at);
    if (bucket > indexed->table)
      return damaged;
    if (!bucket)
      continue;
    error = read_bucket(walk, (size_t)bucket, &functions);
    forget(walk, (size_t)bucket);
  }
  if (!error)
    error = add_waiting(walk);
  return error || functions == expected ? error : damaged;
}

/* Goes through the functions, and adds them to *to unless to is NULL. events
 * may be NULL. Notes bitmaps. Returns NULL or the error. */
static const char *indexed_functions(struct indexed *indexed,
                                     struct profile *to, uint64_t weight,
                                     const struct read_events *events) {
  struct walk walk = {.indexed = indexed,
                      .to = to,
                      .weight = weight,
                      .events = events,
                      .counters = {.limit = indexed->file.size + 1},
                      .bitmap = {.limit = indexed->file.size + 1}};
  sites_new(&walk.sites);
  const char *error = read_table(&walk);
  if (walk.bitmaps)
    indexed->bitmaps = indexed->version < 12 ? BITMAPS_18 : BITMAPS_19;
  sites_free(&walk.sites);
  buffer_free(&walk.counters);
  buffer_free(&walk.bitmap);
  return error;
}

/* ==== The header: u64 each, the later ones from a version on,
 *   magic, version and variant, 0, kind of hashes, offset of the hash table,
 *   8: of the memory profile, 9: of build ids, 10: of traces, 12: of names of
 *   vtables
 * The whole file is checked before anything is added; but see lost_on_error. */

static const char cut[] = "it is cut short; copy it again";

/* Early versions used the byte order of the writing machine; only little-endian
 * files are read. */
static const unsigned char magic[8] = {0xFF, 'l', 'p', 'r',
                                       'o',  'f', 'i', 0x81};

bool indexed_is(struct bytes file) {
  return file.size >= 8 && memcmp(file.data, magic, 8) == 0;
}

static void read_word(struct indexed *indexed, uint64_t word) {
  indexed->version = (unsigned)(word & UINT32_MAX);
  indexed->memory = word >> 62 & 1;
  indexed->flags = profile_flags(word);
}

static const char *indexed_open(struct indexed *indexed, struct bytes file) {
  static const unsigned char since[] = {1, 8, 9, 10, 12};
  *indexed = (struct indexed){.file = file};
  if (!indexed_is(file))
    return "it is no indexed profile; give a .profdata";
  if (file.size < 40)
    return cut;
  read_word(indexed, indexed_load(indexed, 8));
  if (indexed->version < 1 || indexed->version > INDEXED_VERSION_LAST)
    return "its version is not 1 to 13; use a newer bareprof";
  if (indexed_load(indexed, 24) != 0)
    return "its names are hashed by another function than MD5; use a newer "
           "bareprof";
  size_t *const offsets[] = {&indexed->table, &indexed->memprof, &indexed->ids,
                             &indexed->traces, &indexed->vtables};
  for (unsigned i = 0; i < 5 && indexed->version >= since[i]; i++) {
    uint64_t offset = 0;
    if (!indexed_has(indexed, 32 + 8 * i, 8))
      return cut;
    offset = indexed_load(indexed, 32 + 8 * i);
    if (!indexed_has(indexed, offset, 0))
      return cut;
    *offsets[i] = (size_t)offset;
  }
  if (!indexed->memory)
    indexed->memprof = 0;
  if (!(indexed->flags & PROFILE_TEMPORAL))
    indexed->traces = 0;
  return NULL;
}

const char *indexed_read(struct profile *profile, struct bytes file,
                         uint64_t weight, const struct read_events *events) {
  struct indexed indexed;
  const char *error = indexed_open(&indexed, file);
  if (!error && !profile->lost_on_error)
    error = indexed_functions(&indexed, NULL, weight, NULL);
  if (!error)
    error = indexed_rest(&indexed, NULL, weight);
  if (!error && indexed.memory && profile->memprof.size)
    error = "it has a memory profile, and so has a file before; give one such "
            "file";
  if (!error && (!indexed.memory || indexed.flags & PROFILE_IR))
    error = profile_join(profile, indexed.flags, indexed.bitmaps);
  if (error)
    return error;
  error = indexed_functions(&indexed, profile, weight, events);
  /* Without a first look they are found now. */
  if (!error && indexed.bitmaps)
    error = profile_join(profile, profile->flags, indexed.bitmaps);
  return error ? error : indexed_rest(&indexed, profile, weight);
}
