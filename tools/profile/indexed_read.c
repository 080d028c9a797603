/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads an indexed profile, as a whole or in windows: the functions, the header
 * and the sections after the functions.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../object/digest.h"
#include "../object/names.h"
#include "indexed.h"

/* ==== Reads the hash table of functions. The order in the table does not
 * matter. At the table's offset are
 *   u64 number of buckets, number of functions, offset of each bucket, or 0;
 * and a bucket has
 *   u16 number of functions; for each u64 hash, size of name, size of data;
 *   name; data
 * The data of a function has for each structural hash
 *   u64 hash; from 2 on u64 number of counters; u64 each counter; from 11 on
 *   u64 size of bitmap, u64 each bitmap byte; from 14 on bytes, padded
 *   to 8, and u64 size of uniformity bits, those bytes, padded; from 3 on value
 *   data */

/* An indexed profile in a file, and the offsets of its sections. All offsets
 * are within the file. An offset is 0 if the version lacks the section. */
struct indexed_profile {
  struct bytes file;
  unsigned version;
  unsigned flags;               /* bits of enum profile_flag */
  enum profile_bitmaps bitmaps; /* kind of the bitmaps, which is set after the
                                   functions were read */
  bool memory;                  /* the file has a memory profile */
  size_t table, memprof, ids, vtables, traces;
};

/* Returns whether the file has `size` bytes at an offset. */
static inline bool indexed_has_bytes(const struct indexed_profile *indexed,
                                     uint64_t at, uint64_t size) {
  return at <= indexed->file.size && size <= indexed->file.size - at;
}

static inline uint64_t
indexed_load_number(const struct indexed_profile *indexed, size_t at) {
  return load64(indexed->file.data + at, false);
}

enum { WAITING_MOST = 64 };

/* A function in a bucket. */
struct bucket_entry {
  uint64_t claimed; /* MD5 of the name that the file claims */
  struct bytes name, data;
};

struct indexed_walker {
  const struct indexed_profile *indexed;
  struct profile *to; /* the profile to which the functions are added;
                                  NULL: only check the functions */
  indexed_record_visitor *visitor; /* the function of the caller that gets each
                                      record, or NULL */
  void *context;                   /* first argument of `visitor` */
  bool bitmaps;                    /* at least one function has a bitmap */
  uint64_t weight;
  const struct addition_handler *events;
  size_t left;      /* number of bytes that functions may still use, so that no
                       byte is read twice */
  size_t forgotten; /* number of bytes at the start of the file that were
                       released from memory */
  /* functions that will be added together */
  struct bucket_entry waiting[WAITING_MOST];
  unsigned waiting_count;
  struct buffer counters, bitmap;
  struct record_sites sites;
  uint64_t buckets, expected;  /* number of buckets and of functions that the
                                  table announces */
  uint64_t functions, records; /* number of functions and of records read so
                                  far */
  bool windows, wrong;         /* the file is read in windows; the file is not
                                  suitable for windows */
  bool without_windows;        /* no window is read after
                                  indexed_windows_visit_records */
  struct record_counts seen;   /* the record that was read last */
  struct rare_record_parts seen_more;
  const struct profile *other; /* the window of the other profile */
};

static const char damaged[] =
    "the function table is damaged; make the file again";

/* Reads the next number from `data`. */
static bool consume_u64(struct bytes *data, uint64_t *number) {
  if (data->size < 8)
    return false;
  *number = load64(data->data, false);
  data->data += 8;
  data->size -= 8;
  return true;
}

/* The parts of a record in the file. */
struct stored_record {
  uint64_t hash;
  struct bytes counters, bitmap, sites; /* the pieces have 8 bytes for each
                                           number, but `bitmap` has
                                           bitmap_element_width */
};

/* Reads `count` numbers of `width` bytes, and their padding to 8 bytes. */
static bool consume_numbers(struct bytes *data, uint64_t count, size_t width,
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

/* Returns the number of bytes that the file has for a bitmap byte. */
static size_t bitmap_element_width(const struct indexed_walker *walk) {
  return walk->indexed->version < INDEXED_BYTES ? 8 : 1;
}

static const char *parse_sites(struct indexed_walker *walk, struct bytes *data,
                               struct stored_record *to) {
  const unsigned char *begin = data->data, *at = begin;
  const char *error = NULL;
  if (walk->indexed->version < 3)
    return NULL;
  /* Most functions lack sites. Then the value data is a size and a zero. */
  if (data->size >= 8 && load64(begin, false) == 8)
    at += 8;
  else
    error = sites_parse(&walk->sites, &at, begin + data->size, false);
  to->sites = (struct bytes){begin, (size_t)(at - begin)};
  data->data += to->sites.size;
  data->size -= to->sites.size;
  return error;
}

/* Checks the size of the uniformity bits, and skips the bits, which say which
 * blocks of a GPU's code all lanes of a wave enter together. */
static const char *refuse_uniformity_bits(struct bytes *data) {
  uint64_t size = 0;
  if (!consume_u64(data, &size) || size > data->size)
    return damaged;
  return size ? "the profile has uniformity bits of GPU code; read the profile "
                "with the llvm-profdata that wrote it"
              : NULL;
}

/* Reads and checks a record. If the record has sites, they are in walk->sites.
 */
static const char *parse_record(struct indexed_walker *walk, struct bytes *data,
                                struct stored_record *to) {
  unsigned version = walk->indexed->version;
  uint64_t count, bitmap = 0;
  *to = (struct stored_record){0};
  if (!consume_u64(data, &to->hash))
    return damaged;
  count = data->size / 8;
  if (version > 1 && !consume_u64(data, &count))
    return damaged;
  if (!consume_numbers(data, count, 8, &to->counters) ||
      (version >= 11 &&
       (!consume_u64(data, &bitmap) ||
        !consume_numbers(data, bitmap, bitmap_element_width(walk),
                         &to->bitmap))))
    return damaged;
  walk->bitmaps = walk->bitmaps || bitmap;
  walk->records++;
  const char *error =
      version < INDEXED_BYTES ? NULL : refuse_uniformity_bits(data);
  return error ? error : parse_sites(walk, data, to);
}

/* Loads a record into walk->seen. */
static const char *load_record(struct indexed_walker *walk,
                               const struct stored_record *from) {
  size_t width = bitmap_element_width(walk);
  size_t count = from->counters.size / 8, bitmap = from->bitmap.size / width;
  struct rare_record_parts *more = &walk->seen_more;
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

/* Adds the loaded record to a function. `reference` is the MD5 of the
 * function's name, or 0 if the MD5 is unknown. */
static const char *add_loaded_record(struct indexed_walker *walk,
                                     const struct bucket_entry *place,
                                     uint64_t reference) {
  const struct record_counts *seen = &walk->seen;
  const struct rare_record_parts *more = &walk->seen_more;
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

/* Returns whether profile_add_counts would limit a count of the loaded record.
 */
static bool has_count_above_limit(const struct indexed_walker *walk,
                                  bool has_sites) {
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

/* A list of distinct numbers, which usually has one number. */
enum { DISTINCT_MOST = 64 };
struct distinct_number_set {
  uint64_t list[DISTINCT_MOST];
  unsigned count;
};

/* Adds a number. Returns false if the number is already in the list, or if the
 * list is full. */
static bool add_distinct_number(struct distinct_number_set *to,
                                uint64_t number) {
  for (unsigned i = 0; i < to->count; i++)
    if (to->list[i] == number)
      return false;
  if (to->count == DISTINCT_MOST)
    return false;
  to->list[to->count++] = number;
  return true;
}

/* Passes the loaded record to walk->visitor. */
static void check_and_visit_record(struct indexed_walker *walk,
                                   const struct bucket_entry *place,
                                   bool has_sites,
                                   struct distinct_number_set *hashes) {
  uint64_t bits =
      walk->indexed->flags & PROFILE_FRONT_END ? PROFILE_CUT_HASH : UINT64_MAX;
  if (walk->without_windows)
    walk->wrong = walk->wrong || has_count_above_limit(walk, has_sites) ||
                  !add_distinct_number(hashes, walk->seen.hash & bits);
  walk->visitor(walk->context, &place->name, &walk->seen);
}

/* Checks the records of a function. If there is a profile, adds the records to
 * the profile under this MD5 of the function's name (0 if unknown). Otherwise
 * passes the records to walk->visitor, if it is set. */
static const char *parse_function_records(struct indexed_walker *walk,
                                          const struct bucket_entry *place,
                                          uint64_t reference) {
  struct distinct_number_set hashes;
  struct stored_record pieces;
  struct bytes data = place->data;
  const char *error = NULL;
  hashes.count = 0;
  while (data.size && !error) {
    error = parse_record(walk, &data, &pieces);
    if (error || !(walk->to || walk->visitor))
      continue;
    error = load_record(walk, &pieces);
    if (error)
      continue;
    if (walk->to)
      error = add_loaded_record(walk, place, reference);
    else
      check_and_visit_record(walk, place, pieces.sites.size > 8, &hashes);
  }
  return error;
}

/* Returns whether the other window contains the name, which confirms the name's
 * MD5. */
static bool is_name_in_other_window(const struct indexed_walker *walk,
                                    const struct bucket_entry *place) {
  const struct function_entry *function =
      walk->other ? profile_find_function(walk->other, place->claimed) : NULL;
  return function && function->name_size == place->name.size &&
         !memcmp(function->name, place->name.data, place->name.size);
}

/* Returns whether the MD5s of the waiting functions are the MD5s that the file
 * claims. */
static bool do_md5_claims_hold(const struct indexed_walker *walk) {
  uint64_t claims[WAITING_MOST], sums[WAITING_MOST];
  struct bytes names[WAITING_MOST] = {{NULL, 0}};
  size_t count = 0;
  for (unsigned i = 0; i < walk->waiting_count; i++)
    if (!is_name_in_other_window(walk, &walk->waiting[i])) {
      claims[count] = walk->waiting[i].claimed;
      names[count++] = walk->waiting[i].name;
    }
  md5_low64_all(names, count, sums);
  return !memcmp(claims, sums, count * sizeof *sums);
}

/* Adds the waiting functions, unless they are only checked or passed to the
 * caller. The MD5 of many names at once is faster, and is not necessary if the
 * profile has these functions in the same order. */
static const char *
check_and_add_waiting_functions(struct indexed_walker *walk) {
  uint64_t references[WAITING_MOST] = {0};
  struct bytes names[WAITING_MOST];
  const struct bucket_entry *first = walk->waiting;
  unsigned count = walk->waiting_count;
  const char *error = NULL;
  bool claimed = walk->windows && do_md5_claims_hold(walk);
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
    error = parse_function_records(walk, &first[i], references[i]);
  return error;
}

/* Adds the most common kind of function in the second and later files. The
 * function is the next one of the profile, and has one record without bitmap
 * and sites. Returns false if the function may be of another kind. */
static bool try_adding_counters_only(struct indexed_walker *walk,
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
  const struct counters_only_record record = {data + HEAD, (uint32_t)counters,
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

static const char *parse_or_queue_function(struct indexed_walker *walk,
                                           const struct bucket_entry *place) {
  if (walk->to && !walk->waiting_count && !walk->windows &&
      profile_is_next_name(walk->to, (const char *)place->name.data,
                           place->name.size))
    return try_adding_counters_only(walk, place)
               ? NULL
               : parse_function_records(walk, place, 0);
  if (place->name.size == 0 || memchr(place->name.data, 0, place->name.size))
    return damaged;
  const char *error = walk->to ? NULL : parse_function_records(walk, place, 0);
  if (!walk->to && !walk->without_windows)
    return error;
  walk->waiting[walk->waiting_count++] = *place;
  return error || walk->waiting_count < WAITING_MOST
             ? error
             : check_and_add_waiting_functions(walk);
}

/* Returns `size` bytes at offset *at, which must be before the table, and
 * advances *at. No byte is used twice, because shared buckets could take
 * unlimited time. */
static const unsigned char *consume_table_bytes(struct indexed_walker *walk,
                                                size_t *at, uint64_t size) {
  if (size > walk->left || size > walk->indexed->table - *at)
    return NULL;
  const unsigned char *bytes = walk->indexed->file.data + *at;
  walk->left -= (size_t)size;
  *at += (size_t)size;
  return bytes;
}

/* Prefetches the next bytes, because buckets follow one another in the file. */
PREFETCHES void prefetch_bytes(const struct indexed_profile *indexed,
                               size_t at) {
  enum { AHEAD = 512, LINE = 64, LINES = 4 };
  if (!indexed_has_bytes(indexed, at, AHEAD + LINE * LINES))
    return;
  for (unsigned i = 0; i < LINES; i++)
    __builtin_prefetch(indexed->file.data + at + AHEAD + LINE * i);
}

static const char *parse_bucket(struct indexed_walker *walk, size_t at,
                                uint64_t number) {
  const unsigned char *bytes = consume_table_bytes(walk, &at, 2);
  const char *error = NULL;
  unsigned count = bytes ? load16(bytes, false) : 0;
  struct distinct_number_set claims;
  claims.count = 0;
  if (!count)
    return damaged;
  walk->functions += count;
  for (unsigned i = 0; i < count && !error; i++) {
    bytes = consume_table_bytes(walk, &at, 24);
    if (!bytes)
      return damaged;
    prefetch_bytes(walk->indexed, at);
    uint64_t name_size = load64(bytes + 8, false);
    uint64_t data_size = load64(bytes + 16, false);
    struct bucket_entry place = {.claimed = load64(bytes, false)};
    walk->wrong =
        walk->wrong || (place.claimed & (walk->buckets - 1)) != number ||
        (walk->without_windows && !add_distinct_number(&claims, place.claimed));
    place.name = (struct bytes){consume_table_bytes(walk, &at, name_size),
                                (size_t)name_size};
    if (!place.name.data)
      return damaged;
    place.data = (struct bytes){consume_table_bytes(walk, &at, data_size),
                                (size_t)data_size};
    if (!place.data.data)
      return damaged;
    error = parse_or_queue_function(walk, &place);
  }
  return error;
}

/* Releases the file's memory up to an offset. Waiting functions are read again
 * when they are added. */
static void release_file_until(struct indexed_walker *walk, size_t at) {
  enum { PIECE = 1 << 22 };
  if (at < walk->forgotten || at - walk->forgotten < PIECE)
    return;
  file_release_pages(walk->indexed->file.data + walk->forgotten,
                     at - walk->forgotten);
  walk->forgotten = at;
}

static const char *parse_buckets(struct indexed_walker *walk, uint64_t first,
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
    error = parse_bucket(walk, (size_t)bucket, i);
    release_file_until(walk, (size_t)bucket);
  }
  return error;
}

static void rewind_table_walk(struct indexed_walker *walk) {
  walk->left = walk->indexed->table;
  walk->forgotten = 0;
  walk->functions = walk->records = 0;
}

static const char *open_function_table(struct indexed_walker *walk) {
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
  rewind_table_walk(walk);
  return NULL;
}

static void begin_table_walk(struct indexed_walker *walk,
                             const struct indexed_profile *indexed,
                             struct profile *to) {
  *walk = (struct indexed_walker){.indexed = indexed,
                                  .to = to,
                                  .weight = 1,
                                  .counters = {.limit = indexed->file.size + 1},
                                  .bitmap = {.limit = indexed->file.size + 1}};
  sites_init(&walk->sites);
}

static void end_table_walk(struct indexed_walker *walk) {
  sites_free(&walk->sites);
  buffer_free(&walk->counters);
  buffer_free(&walk->bitmap);
}

/* ==== Reads the whole file. */

/* ---- sections ----
 *
 * Reads build ids, names of vtables, traces, and the memory profile, which
 * stays unchanged. */

/* Reads the build ids: u64 size, then the list of ids. */
static const char *parse_build_ids(const struct indexed_profile *indexed,
                                   struct profile *to) {
  size_t at = indexed->ids;
  if (!at)
    return NULL;
  uint64_t size =
      indexed_has_bytes(indexed, at, 8) ? indexed_load_number(indexed, at) : 1;
  if (!indexed_has_bytes(indexed, at + 8, size) || size % 8)
    return "the build ids are damaged; make the file again";
  return profile_add_build_ids(
      to, (struct bytes){indexed->file.data + at + 8, (size_t)size}, false);
}

/* Reads the names of vtables: u64 size, then the names as in object/names.h. */
static const char *parse_vtable_names(const struct indexed_profile *indexed,
                                      struct profile *to) {
  struct name_table names;
  size_t at = indexed->vtables;
  if (!at)
    return NULL;
  uint64_t size = indexed_has_bytes(indexed, at, 8)
                      ? indexed_load_number(indexed, at)
                      : UINT64_MAX;
  if (!indexed_has_bytes(indexed, at + 8, size))
    return "the vtable names are truncated; copy the file again";
  const char *error = names_read(
      &names, (struct bytes){indexed->file.data + at + 8, (size_t)size});
  if (to && !error && !profile_add_vtable_names(to, &names))
    error = out_of_memory;
  names_free(&names);
  return error;
}

static const char *parse_trace(const struct indexed_profile *indexed,
                               size_t *at, struct profile *to,
                               uint64_t weight) {
  static const char bad[] = "the temporal traces are damaged; make the "
                            "profile again";
  if (!indexed_has_bytes(indexed, *at, 16))
    return bad;
  uint64_t count = indexed_load_number(indexed, *at + 8);
  bool cut = false;
  struct temporal_trace trace = {
      .weight = count_multiply_limited(indexed_load_number(indexed, *at),
                                       weight, &cut),
      .count = (size_t)count};
  *at += 16;
  if (count > (indexed->file.size - *at) / 8)
    return bad;
  size_t first = *at;
  *at += (size_t)count * 8;
  if (!to)
    return NULL;
  trace.functions = malloc((size_t)count * 8 + 1);
  if (!trace.functions)
    return out_of_memory;
  for (size_t i = 0; i < count; i++)
    trace.functions[i] = indexed_load_number(indexed, first + 8 * i);
  bool added = profile_add_trace(to, &trace);
  free(trace.functions);
  return added ? NULL : out_of_memory;
}

/* Reads the traces: u64 number of traces, u64 number of runs; for each trace,
 * u64 weight, u64 number of functions, and the references. */
static const char *parse_traces(const struct indexed_profile *indexed,
                                struct profile *to, uint64_t weight) {
  size_t at = indexed->traces;
  const char *error = NULL;
  if (!at)
    return NULL;
  if (!indexed_has_bytes(indexed, at, 16))
    return "the temporal traces are truncated; copy the file again";
  uint64_t count = indexed_load_number(indexed, at);
  uint64_t runs = indexed_load_number(indexed, at + 8);
  at += 16;
  for (uint64_t i = 0; i < count && !error; i++)
    error = parse_trace(indexed, &at, to, weight);
  if (to && !error && runs > count)
    profile_add_runs_limit_traces(to, runs - count);
  return error;
}

/* Reads the memory profile, which ends at the beginning of the next section. */
static const char *parse_memprof(const struct indexed_profile *indexed,
                                 struct profile *to) {
  const size_t others[] = {indexed->table, indexed->ids, indexed->vtables,
                           indexed->traces};
  size_t begin = indexed->memprof, end = indexed->file.size;
  if (!indexed->memory)
    return NULL;
  for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i] > begin && others[i] < end)
      end = others[i];
  if (!begin || end - begin < 8)
    return "the MemProf data is truncated; copy the file again";
  if (!to)
    return NULL;
  size_t size = end - begin;
  to->memprof.data =
      (unsigned char *)arena_copy(&to->arena, indexed->file.data + begin, size);
  if (!to->memprof.data)
    return out_of_memory;
  to->memprof.size = size;
  to->memprof_at = begin;
  /* Data of version 0 begins with an offset instead of a version. */
  uint64_t version = indexed_load_number(indexed, begin);
  to->memprof_version = version < 40 ? (unsigned)version : 0;
  return NULL;
}

/* Reads everything except functions, and adds it to `to`, which may be NULL.
 * Returns NULL or the error. */
static const char *
parse_nonfunction_sections(const struct indexed_profile *indexed,
                           struct profile *to, uint64_t weight) {
  const char *error = parse_build_ids(indexed, to);
  if (to)
    profile_sort_unique_build_ids(to);
  if (!error)
    error = parse_vtable_names(indexed, to);
  if (!error)
    error = parse_traces(indexed, to, weight);
  return error ? error : parse_memprof(indexed, to);
}

/* ---- the file ---- */

/* ==== Reads the header. The header has u64 fields, some only since a version:
 *   magic, version and variant, 0, kind of hashes, offset of the hash table,
 *   8: of the memory profile, 9: of build ids, 10: of traces, 12: of names of
 *   vtables
 * The reader checks the whole file before it adds anything, unless
 * lost_on_error is set.
 */

static const char cut[] = "the file is truncated; copy the file again";

/* The magic of little-endian files. Early versions used the byte order of the
 * writing machine, but only little-endian files are supported. */
static const unsigned char magic[8] = {0xFF, 'l', 'p', 'r',
                                       'o',  'f', 'i', 0x81};

bool indexed_has_magic(struct bytes file) {
  return file.size >= 8 && memcmp(file.data, magic, 8) == 0;
}

static const char *parse_indexed_header(struct indexed_profile *indexed,
                                        struct bytes file) {
  static const unsigned char since[] = {1, 8, 9, 10, 12};
  *indexed = (struct indexed_profile){.file = file};
  if (!indexed_has_magic(file))
    return "this is not an indexed profile; pass a .profdata";
  if (file.size < 40)
    return cut;
  uint64_t word = indexed_load_number(indexed, 8);
  indexed->version = (unsigned)(word & UINT32_MAX);
  indexed->memory = word >> 62 & 1;
  indexed->flags = profile_decode_flags(word);
  if (indexed->version < 1 || indexed->version > INDEXED_NEWEST)
    return "the index version is not supported; upgrade bareprof";
  if (indexed_load_number(indexed, 24) != 0)
    return "the hashes of the names are not MD5 hashes; make the file again, "
           "or upgrade bareprof";
  size_t *const offsets[] = {&indexed->table, &indexed->memprof, &indexed->ids,
                             &indexed->traces, &indexed->vtables};
  for (unsigned i = 0; i < 5 && indexed->version >= since[i]; i++) {
    uint64_t offset = 0;
    if (!indexed_has_bytes(indexed, 32 + 8 * i, 8))
      return cut;
    offset = indexed_load_number(indexed, 32 + 8 * i);
    if (!indexed_has_bytes(indexed, offset, 0))
      return cut;
    *offsets[i] = (size_t)offset;
  }
  if (!indexed->memory)
    indexed->memprof = 0;
  if (!(indexed->flags & PROFILE_TEMPORAL))
    indexed->traces = 0;
  return NULL;
}

/* ==== Reads a whole file */

static enum profile_bitmaps
bitmaps_of_version(const struct indexed_profile *indexed) {
  return indexed->version < 12 ? BITMAPS_18 : BITMAPS_19;
}

/* Reads the functions, and adds them to `to`, which may be NULL. events may be
 * NULL. Sets indexed->bitmaps if a function has a bitmap. Returns NULL or the
 * error. */
static const char *
parse_table_functions(struct indexed_profile *indexed, struct profile *to,
                      uint64_t weight, const struct addition_handler *events) {
  struct indexed_walker walk;
  begin_table_walk(&walk, indexed, to);
  walk.weight = weight;
  walk.events = events;
  const char *error = open_function_table(&walk);
  if (!error && to && !profile_reserve_functions(to, (size_t)walk.expected))
    error = out_of_memory;
  if (!error)
    error = parse_buckets(&walk, 0, walk.buckets);
  if (!error)
    error = check_and_add_waiting_functions(&walk);
  if (!error && walk.functions != walk.expected)
    error = damaged;
  if (walk.bitmaps)
    indexed->bitmaps = bitmaps_of_version(indexed);
  end_table_walk(&walk);
  return error;
}

const char *indexed_parse_into(struct profile *profile, struct bytes file,
                               uint64_t weight,
                               const struct addition_handler *events) {
  struct indexed_profile indexed;
  const char *error = parse_indexed_header(&indexed, file);
  if (!error && !profile->lost_on_error)
    error = parse_table_functions(&indexed, NULL, weight, NULL);
  if (!error)
    error = parse_nonfunction_sections(&indexed, NULL, weight);
  if (!error && indexed.memory && profile->memprof.size)
    error = "this file has a memory profile, and so has an earlier one; pass "
            "only one of them";
  if (!error && (!indexed.memory || indexed.flags & PROFILE_IR))
    error = profile_join_kind(profile, indexed.flags, indexed.bitmaps);
  if (error)
    return error;
  error = parse_table_functions(&indexed, profile, weight, events);
  /* If there was no first walk, the kind of the bitmaps is only known now. */
  if (!error && indexed.bitmaps)
    error = profile_join_kind(profile, profile->flags, indexed.bitmaps);
  return error ? error : parse_nonfunction_sections(&indexed, profile, weight);
}

/* ==== Reads a file in windows */

/* One allocation has all parts of the windows. */
struct indexed_window_storage {
  struct indexed_window_reader windows;
  struct indexed_profile indexed;
  struct indexed_walker walk;
  struct addition_handler events;
};

static void mark_walk_wrong(void *context, enum addition_result result,
                            const struct record_counts *counts,
                            const struct counts_addition *addition) {
  (void)result, (void)counts, (void)addition;
  ((struct indexed_walker *)context)->wrong = true;
}

struct indexed_window_reader *indexed_windows_new(struct bytes file,
                                                  struct profile *rest) {
  struct indexed_window_storage *all = calloc(1, sizeof *all);
  if (!all)
    return NULL;
  struct indexed_window_reader *windows = &all->windows;
  struct indexed_profile *indexed = &all->indexed;
  bool right = !parse_indexed_header(indexed, file) && !indexed->memory;
  begin_table_walk(&all->walk, indexed, &windows->profile);
  profile_init(&windows->profile, file.size * 16 + (1 << 20));
  all->events = (struct addition_handler){mark_walk_wrong, &all->walk};
  all->walk.events = &all->events;
  all->walk.windows = true;
  windows->walk = &all->walk;
  if (right && !open_function_table(&all->walk) &&
      !profile_join_kind(&windows->profile, indexed->flags, BITMAPS_NONE) &&
      !profile_join_kind(rest, indexed->flags, BITMAPS_NONE) &&
      !parse_nonfunction_sections(indexed, rest, 1)) {
    windows->buckets = (size_t)all->walk.buckets;
    windows->expected = (size_t)all->walk.expected;
    windows->bitmaps = bitmaps_of_version(indexed);
    return windows;
  }
  indexed_windows_free(windows);
  return NULL;
}

void indexed_windows_free(struct indexed_window_reader *windows) {
  if (!windows)
    return;
  end_table_walk(windows->walk);
  profile_free(&windows->profile);
  free(windows);
}

void indexed_windows_visit_records(struct indexed_window_reader *windows,
                                   indexed_record_visitor *see, void *context) {
  struct indexed_walker *walk = windows->walk;
  walk->to = NULL;
  walk->visitor = see;
  walk->context = context;
  walk->wrong = parse_buckets(walk, 0, walk->buckets) ||
                check_and_add_waiting_functions(walk) ||
                walk->functions != walk->expected || walk->wrong;
  walk->to = &windows->profile;
  rewind_table_walk(walk);
}

bool indexed_windows_visit_and_check(struct indexed_window_reader *windows,
                                     bool again, indexed_record_visitor *see,
                                     void *context) {
  windows->walk->without_windows = true;
  if (again)
    windows->walk->forgotten = SIZE_MAX;
  indexed_windows_visit_records(windows, see, context);
  windows->profile.has_bitmaps = windows->walk->bitmaps;
  return indexed_windows_are_valid(windows, false);
}

void indexed_windows_load(struct indexed_window_reader *windows, size_t first,
                          size_t end, size_t step,
                          const struct profile *other) {
  struct indexed_walker *walk = windows->walk;
  const char *error = NULL;
  profile_clear_functions(&windows->profile);
  walk->other = other;
  walk->records = 0;
  for (size_t row = 0; row < windows->buckets && !error; row += step)
    error = parse_buckets(walk, row + first, row + end);
  if (!error)
    error = check_and_add_waiting_functions(walk);
  walk->wrong =
      walk->wrong || error || walk->records != windows->profile.record_count;
}

const struct record_counts *
indexed_windows_load_record(struct indexed_window_reader *windows,
                            struct bytes name, uint64_t hash) {
  struct stored_record pieces;
  struct bytes data = {name.data + name.size,
                       (size_t)load64(name.data - 8, false)};
  while (!parse_record(windows->walk, &data, &pieces) && pieces.hash != hash)
    ;
  (void)load_record(windows->walk, &pieces); /* cannot fail: the memory for the
                                                record has been allocated */
  return &windows->walk->seen;
}

struct bytes
indexed_windows_find_name(const struct indexed_window_reader *windows,
                          uint64_t reference) {
  const struct indexed_walker *walk = windows->walk;
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

bool indexed_windows_are_valid(const struct indexed_window_reader *windows,
                               bool all) {
  const struct indexed_walker *walk = windows->walk;
  return !walk->wrong && (!all || walk->functions == walk->expected);
}
