/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads an indexed profile, as a whole or in windows: the header and the
 * sections after the functions. indexed_walk.c reads the functions.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../object/names.h"
#include "indexed.h"

/* ==== The records of a function in an indexed profile, each
 *   u64 hash; u64 number of counters; u64 for each
 *   since version 11: u64 number of bitmap bytes; u64 for each, or from 14 on
 *   a byte for each, padded to 8
 *   since version 14: u64 0, as there are no uniformity bits
 *   value data: see value_sites.c
 * in the order of the hash table that LLVM keeps them in. */

enum { FEW_SLOTS = 4, MORE_SLOTS = 64 };

/* Crafted hashes can take as many steps as there are records, so functions with
 * more records than this are sorted by hash instead. */
enum { IN_ORDER_MOST = 1024 };

static size_t count_records(const struct function_entry *function) {
  size_t count = 0;
  for (const struct record_counts *at = function->counts; at; at = at->next)
    count++;
  return count;
}

/* ---- the order ---- */

/* LLVM's table doubles when three quarters would be in use, first from 4 slots
 * to 64. */
static size_t next_slot_count(size_t slots, size_t count) {
  if (4 * count < 3 * slots)
    return slots;
  return slots == FEW_SLOTS ? (size_t)MORE_SLOTS : 2 * slots;
}

bool record_writer_new(struct record_writer *records,
                       const struct profile *profile, unsigned version) {
  size_t most = 0, slots = FEW_SLOTS;
  *records = (struct record_writer){
      .version = version,
      .hash_bits = version < 13 ? UINT64_MAX
                                : profile_comparable_hash(profile, UINT64_MAX)};
  for (size_t i = 0; profile->several && i < profile->function_count; i++) {
    size_t count = count_records(profile->arrived[i]);
    most = count > most ? count : most;
  }
  while (next_slot_count(slots, most) != slots)
    slots = next_slot_count(slots, most);
  records->slots = malloc(slots * sizeof *records->slots);
  records->spare = malloc(slots * sizeof *records->spare);
  return ranking_new(&records->ranking, profile) && records->slots &&
         records->spare;
}

void record_writer_free(struct record_writer *records) {
  ranking_free(&records->ranking);
  free(records->slots);
  free(records->spare);
}

/* LLVM's hash of a number, which selects the slot. The hash changed with
 * version 12. */
static uint32_t hash_to_slot(const struct record_writer *records,
                             uint64_t hash) {
  if (records->version < 12)
    return (uint32_t)(hash * 37);
  hash *= UINT64_C(0xBF58476D1CE4E5B9);
  return (uint32_t)(hash ^ hash >> 31);
}

static void insert_into_slot(struct record_writer *records,
                             const struct record_counts *counts) {
  uint32_t mask = (uint32_t)records->slot_count - 1, step = 1;
  const uint32_t quadratic = records->version < INDEXED_BYTES;
  uint32_t at = hash_to_slot(records, counts->hash & records->hash_bits) & mask;
  for (; records->slots[at]; at = (at + step) & mask, step += quadratic)
    ;
  records->slots[at] = counts;
}

static void clear_slots(struct record_writer *records, size_t slots) {
  records->slot_count = slots;
  for (size_t i = 0; i < slots; i++)
    records->slots[i] = NULL;
}

static void grow_slots(struct record_writer *records, size_t slots) {
  const struct record_counts **old = records->slots;
  size_t old_count = records->slot_count;
  records->slots = records->spare;
  records->spare = old;
  clear_slots(records, slots);
  for (size_t i = 0; i < old_count; i++)
    if (old[i])
      insert_into_slot(records, old[i]);
}

ORDER_BY(compare_hashes, struct record_counts *const, (*x)->hash);

static void order_records(struct record_writer *records,
                          const struct function_entry *function) {
  size_t count = 0, all = count_records(function);
  if (all > IN_ORDER_MOST) {
    for (const struct record_counts *at = function->counts; at; at = at->next)
      records->slots[count++] = at;
    qsort(records->slots, all, sizeof *records->slots, compare_hashes);
    records->slot_count = all;
    return;
  }
  clear_slots(records, FEW_SLOTS);
  for (const struct record_counts *at = function->counts; at; at = at->next) {
    size_t slots = next_slot_count(records->slot_count, ++count);
    if (slots != records->slot_count)
      grow_slots(records, slots);
    insert_into_slot(records, at);
  }
}

/* ---- value data ---- */

static uint64_t kind_head_size(const struct record_counts *counts,
                               unsigned kind) {
  return (8 + (uint64_t)counts->more->site_count[kind] + 7) / 8 * 8;
}

static uint64_t value_data_size(const struct record_counts *counts) {
  uint64_t size = 8;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    if (!counts->more->site_count[kind])
      continue;
    size += kind_head_size(counts, kind);
    for (uint32_t i = 0; i < counts->more->site_count[kind]; i++)
      size += 16 * (uint64_t)ranking_kept_count(&counts->more->sites[kind][i]);
  }
  return size;
}

static void write_value_kind(struct record_writer *records,
                             struct text_stream *to,
                             const struct record_counts *counts,
                             unsigned kind) {
  uint32_t sites = counts->more->site_count[kind];
  text_put_raw(to, kind | (uint64_t)sites << 32, 8);
  for (uint32_t i = 0; i < sites; i++)
    text_put_raw(to, ranking_kept_count(&counts->more->sites[kind][i]), 1);
  for (uint64_t at = 8 + (uint64_t)sites; at < kind_head_size(counts, kind);
       at++)
    text_put_raw(to, 0, 1);
  for (uint32_t i = 0; i < sites; i++) {
    uint32_t count =
        ranking_rank_site(&records->ranking, &counts->more->sites[kind][i]);
    for (uint32_t j = 0; j < count; j++) {
      text_put_raw(to, records->ranking.list[j].value.value, 8);
      text_put_raw(to, records->ranking.list[j].value.count, 8);
    }
  }
}

static void write_value_data(struct record_writer *records,
                             struct text_stream *to,
                             const struct record_counts *counts) {
  uint64_t kinds = 0;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    kinds += counts->more->site_count[kind] != 0;
  text_put_raw(to, value_data_size(counts) | kinds << 32, 8);
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    if (counts->more->site_count[kind])
      write_value_kind(records, to, counts, kind);
}

/* ---- records ---- */

uint64_t function_records_size(const struct record_writer *records,
                               const struct function_entry *function) {
  uint64_t size = 0;
  for (const struct record_counts *at = function->counts; at; at = at->next) {
    uint64_t values = value_data_size(at);
    if (values > UINT32_MAX)
      return 0;
    size += 16 + 8 * (uint64_t)at->counter_count + values;
    if (records->version >= INDEXED_BYTES)
      size += 16 + round_up_to_8(at->more->bitmap_size);
    else if (records->version >= 11)
      size += 8 + 8 * (uint64_t)at->more->bitmap_size;
  }
  return size;
}

static void write_numbers(struct text_stream *to, const uint64_t *list,
                          size_t count) {
  enum { PART = TEXT_MORE / 8 };
  for (size_t part; count; list += part, count -= part) {
    part = count < PART ? count : (size_t)PART;
    unsigned char *at = (unsigned char *)text_reserve(to);
    for (size_t i = 0; i < part; i++)
      store64(at + 8 * i, list[i], false);
    to->used += part * 8;
  }
}

static void write_record(struct record_writer *records, struct text_stream *to,
                         const struct record_counts *counts) {
  text_put_raw(to, counts->hash & records->hash_bits, 8);
  text_put_raw(to, counts->counter_count, 8);
  write_numbers(to, counts->counters, counts->counter_count);
  bool as_bytes = records->version >= INDEXED_BYTES;
  if (records->version >= 11) {
    text_put_raw(to, counts->more->bitmap_size, 8);
    for (uint32_t i = 0; i < counts->more->bitmap_size; i++)
      text_put_raw(to, counts->more->bitmap[i], as_bytes ? 1 : 8);
  }
  if (as_bytes) {
    text_put_padding(to, counts->more->bitmap_size);
    text_put_raw(to, 0, 8);
  }
  write_value_data(records, to, counts);
}

static void write_records(struct record_writer *records, struct text_stream *to,
                          const struct function_entry *function) {
  if (!function->counts->next) {
    write_record(records, to, function->counts);
    return;
  }
  order_records(records, function);
  for (size_t i = 0; i < records->slot_count; i++)
    if (records->slots[i])
      write_record(records, to, records->slots[i]);
}

/* ---- the table ----
 *
 * The table of functions in an indexed profile. Each bucket is
 *   u16 number of functions; for each u64 hash, u64 size of the name, u64 size
 *   of the records, the name, the records
 * Then follows at a multiple of 8
 *   u64 number of buckets; u64 number of functions; u64 offset of each bucket,
 *   0 if it is empty
 *
 * The order within a bucket is LLVM's. LLVM inserts the functions by ascending
 * name, each at the front of its bucket. When three quarters are in use, it
 * doubles the table, which reverses the order of functions that stay together.
 * So the order depends only on the names in a bucket, and on how often the
 * table was doubled before and after each insertion. Names need to be sorted
 * only as far as that requires, and then within buckets.
 */

enum { FIRST_BUCKETS = 64, BUCKET_MOST = UINT16_MAX };

bool function_table_new(struct function_table *table, size_t functions) {
  *table = (struct function_table){0};
  table->arrived = malloc((functions + 1) * sizeof *table->arrived);
  return table->arrived != NULL;
}

void function_table_free(struct function_table *table) {
  free(table->arrived);
  free(table->functions);
  free(table->spare);
  free(table->places);
}

/* Returns the size of a function in the file without its records. */
static uint64_t function_head_size(const struct function_entry *function) {
  return 24 + function->name_size;
}

bool function_table_add(struct function_table *table,
                        const struct record_writer *records,
                        struct function_entry *function) {
  uint64_t size = function_records_size(records, function);
  table->arrived[table->count++] =
      (struct keyed_item){function->reference, (uintptr_t)function};
  table->bytes += function_head_size(function) + size;
  return size != 0;
}

/* ---- when each function is inserted ---- */

/* Whether the table is full before function i, by name, is inserted. */
static bool is_table_full(size_t buckets, size_t i) {
  return 4 * (i + 1) >= 3 * buckets;
}

/* Whether the names from index first to end must be sorted among themselves,
 * because the table is doubled between them. */
static bool is_doubled_between(size_t first, size_t end) {
  size_t buckets = FIRST_BUCKETS;
  while (is_table_full(buckets, first))
    buckets *= 2;
  return end && is_table_full(buckets, end - 1);
}

static const char *sort_table_names(struct function_table *table) {
  struct keyed_item *spare = malloc((table->count + 1) * sizeof *spare);
  if (!spare)
    return out_of_memory;
  names_sort_partly(table->arrived, spare, table->count, is_doubled_between);
  free(spare);
  return NULL;
}

/* A small table, which was never doubled, shrinks at the end. The buckets are
 * moved front to back, each function to the front again. */
static bool is_table_shrunk(const struct function_table *table) {
  return table->buckets < FIRST_BUCKETS;
}

static unsigned shrink_step(const struct function_entry *function) {
  return FIRST_BUCKETS - 1 - (unsigned)(function->reference % FIRST_BUCKETS);
}

/* ---- places ---- */

static size_t bucket_index(const struct function_table *table,
                           uint64_t reference) {
  return reference & (table->buckets - 1);
}

/* Finds the first function of each bucket. */
static const char *assign_bucket_places(struct function_table *table,
                                        uint64_t at) {
  size_t done = 0, most = 0, in_use = 0;
  for (size_t i = 0; i < table->count; i++)
    table->places[bucket_index(table, table->arrived[i].key)]++;
  for (size_t i = 0; i < table->buckets; i++) {
    size_t count = (size_t)table->places[i];
    most = count > most ? count : most;
    in_use += count != 0;
    table->places[i] = done;
    done += count;
  }
  table->table_at = (at + table->bytes + 2 * in_use + 7) / 8 * 8;
  table->end = table->table_at + 16 + 8 * table->buckets;
  if (most > BUCKET_MOST)
    return "two function names have the same hash on purpose; write a text "
           "profile";
  table->spare = malloc((2 * most + 1) * sizeof *table->spare);
  return table->spare ? NULL : out_of_memory;
}

/* Puts each function after the others of its bucket, and records how often the
 * table was doubled before. */
static void fill_buckets(struct function_table *table) {
  size_t buckets = FIRST_BUCKETS;
  for (size_t i = 0; i < table->count; i++) {
    struct function_entry *function = (void *)(uintptr_t)table->arrived[i].item;
    if (i + FUNCTIONS_AHEAD < table->count)
      __builtin_prefetch(
          (void *)(uintptr_t)table->arrived[i + FUNCTIONS_AHEAD].item);
    for (; is_table_full(buckets, i); buckets *= 2)
      table->doublings++;
    table
        ->functions[table->places[bucket_index(table, function->reference)]++] =
        (struct table_function){function, is_table_shrunk(table)
                                              ? shrink_step(function)
                                              : table->doublings};
  }
}

const char *function_table_lay_out(struct function_table *table, uint64_t at) {
  table->buckets = 1;
  while (table->count > 2 && table->buckets <= table->count * 4 / 3)
    table->buckets *= 2;
  table->places = calloc(table->buckets, sizeof *table->places);
  const char *error =
      table->places ? assign_bucket_places(table, at) : out_of_memory;
  if (!error)
    error = sort_table_names(table);
  if (error)
    return error;
  table->functions = malloc((table->count + 1) * sizeof *table->functions);
  if (!table->functions)
    return out_of_memory;
  fill_buckets(table);
  free(table->arrived);
  table->arrived = NULL;
  return NULL;
}

/* ---- the order in a bucket ---- */

static int compare_steps(const void *left, const void *right) {
  const struct table_function *a = left, *b = right;
  int order = compare_numbers(a->step, b->step);
  return order ? order
               : compare_bytes(a->entry->name, a->entry->name_size,
                               b->entry->name, b->entry->name_size);
}

/* Reproduces the order that the insertions leave in a bucket, front to back. A
 * reversed list is read from the other end. */
static void replay_insertions(const struct function_table *table,
                              struct table_function *list, size_t count) {
  struct table_function *from = table->spare + count, *to = from;
  unsigned doubled = 0;
  bool turned = false;
  for (size_t i = 0; i < count; i++) {
    turned ^= (list[i].step - doubled) % 2;
    doubled = list[i].step;
    if (turned)
      *to++ = list[i];
    else
      *--from = list[i];
  }
  turned ^= (table->doublings - doubled) % 2;
  for (size_t i = 0; i < count; i++)
    list[i] = turned ? *--to : *from++;
}

static void order_bucket(const struct function_table *table, size_t first,
                         size_t count) {
  enum { FEW = 8 };
  struct table_function *list = table->functions + first;
  if (count > FEW)
    qsort(list, count, sizeof *list, compare_steps);
  for (size_t i = 1; i < count && count <= FEW; i++)
    for (size_t at = i; at && compare_steps(&list[at - 1], &list[at]) > 0;
         at--) {
      struct table_function one = list[at];
      list[at] = list[at - 1];
      list[at - 1] = one;
    }
  if (!is_table_shrunk(table))
    replay_insertions(table, list, count);
}

/* ---- writing ---- */

static void write_function(const struct function_entry *function,
                           struct record_writer *records,
                           struct text_stream *to) {
  text_put_raw(to, function->reference, 8);
  text_put_raw(to, function->name_size, 8);
  text_put_raw(to, function_records_size(records, function), 8);
  text_put_bytes(to, function->name, function->name_size);
  write_records(records, to, function);
}

/* Prefetches a later function: first the function, later its data. */
PREFETCHES void prefetch_later_function(const struct function_table *table,
                                        size_t i) {
  size_t near = i + FUNCTIONS_AHEAD / 2, soon = i + FUNCTIONS_AHEAD;
  if (soon >= table->count)
    return;
  prefetch_function(table->functions[soon].entry);
  prefetch_function_parts(table->functions[near].entry);
}

static void write_bucket(struct function_table *table, size_t first, size_t end,
                         struct record_writer *records,
                         struct text_stream *to) {
  if (end > first + 1)
    order_bucket(table, first, end - first);
  text_put_raw(to, end - first, 2);
  for (size_t at = first; at < end; at++) {
    prefetch_later_function(table, at);
    write_function(table->functions[at].entry, records, to);
  }
}

void function_table_write(struct function_table *table,
                          struct record_writer *records,
                          struct text_stream *to) {
  size_t first = 0;
  for (size_t i = 0; i < table->buckets; i++) {
    size_t end = (size_t)table->places[i];
    table->places[i] = end > first ? (to->written + to->used) : 0;
    if (end > first)
      write_bucket(table, first, end, records, to);
    first = end;
  }
  text_put_padding(to, (to->written + to->used));
  text_put_raw(to, table->buckets, 8);
  text_put_raw(to, table->count, 8);
  write_numbers(to, table->places, table->buckets);
}

/* ==== The file. */

/* ---- sections ----
 *
 * Build ids, names of vtables, traces, and the memory profile, which is kept
 * unchanged. */

/* More than the modules of any program. */
enum { IDS_MOST = 16384 };

/* Format: u64 size; for each id, u64 size and the id, padded to 8. */
static const char *read_build_ids(const struct indexed_profile *indexed,
                                  struct profile *to) {
  static const char damaged[] =
      "the build ids are damaged; make the file again";
  size_t at = indexed->ids;
  if (!at)
    return NULL;
  uint64_t left =
      indexed_has_bytes(indexed, at, 8) ? indexed_load_number(indexed, at) : 1;
  at += 8;
  if (!indexed_has_bytes(indexed, at, left) || left % 8)
    return damaged;
  for (unsigned i = 0; left; i++) {
    uint64_t size = indexed_load_number(indexed, at);
    if (!size || size > left - 8 || i == IDS_MOST)
      return damaged;
    struct bytes id = {indexed->file.data + at + 8, (size_t)size};
    if (to && !profile_add_build_id(to, id))
      return out_of_memory;
    size = 8 + (size + 7) / 8 * 8;
    left -= size;
    at += (size_t)size;
  }
  return NULL;
}

/* Format: u64 size; the names as in a section, see object/names.h. */
static const char *read_vtable_names(const struct indexed_profile *indexed,
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
  for (size_t i = 0; to && !error && i < names_count(&names); i++) {
    const char *name = names_at(&names, i);
    if (!profile_add_vtable(to, name, strlen(name)))
      error = out_of_memory;
  }
  names_free(&names);
  return error;
}

/* Reads the trace at *at. */
static const char *read_trace(const struct indexed_profile *indexed, size_t *at,
                              struct profile *to, uint64_t weight) {
  static const char damaged[] = "the traces are damaged; make the file again";
  if (!indexed_has_bytes(indexed, *at, 16))
    return damaged;
  uint64_t count = indexed_load_number(indexed, *at + 8);
  bool cut = false;
  struct temporal_trace trace = {
      .weight = count_multiply_limited(indexed_load_number(indexed, *at),
                                       weight, &cut),
      .count = (size_t)count};
  *at += 16;
  if (count > (indexed->file.size - *at) / 8)
    return damaged;
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

/* Format: u64 number of traces, u64 number of runs; for each trace, u64 weight,
 * u64 number of functions, and the references. */
static const char *read_traces(const struct indexed_profile *indexed,
                               struct profile *to, uint64_t weight) {
  size_t at = indexed->traces;
  const char *error = NULL;
  if (!at)
    return NULL;
  if (!indexed_has_bytes(indexed, at, 16))
    return "the traces are truncated; copy the file again";
  uint64_t count = indexed_load_number(indexed, at);
  uint64_t runs = indexed_load_number(indexed, at + 8);
  at += 16;
  for (uint64_t i = 0; i < count && !error; i++)
    error = read_trace(indexed, &at, to, weight);
  if (to && !error && runs > count)
    profile_add_dropped_runs(to, runs - count);
  return error;
}

/* The memory profile ends where the next section begins. */
static const char *read_memprof(const struct indexed_profile *indexed,
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
    return "the memory profile is truncated; copy the file again";
  if (!to)
    return NULL;
  size_t size = end - begin;
  to->memprof.data =
      (unsigned char *)arena_copy(&to->arena, indexed->file.data + begin, size);
  if (!to->memprof.data)
    return out_of_memory;
  to->memprof.size = size;
  to->memprof_at = begin;
  /* Version 0 is not stored: its data begins with an offset. */
  uint64_t version = indexed_load_number(indexed, begin);
  to->memprof_version = version < 40 ? (unsigned)version : 0;
  return NULL;
}

/* Reads everything except functions, and adds it to *to unless to is NULL.
 * Returns NULL or the error. */
static const char *read_other_sections(const struct indexed_profile *indexed,
                                       struct profile *to, uint64_t weight) {
  const char *error = read_build_ids(indexed, to);
  if (to)
    profile_sort_build_ids(to);
  if (!error)
    error = read_vtable_names(indexed, to);
  if (!error)
    error = read_traces(indexed, to, weight);
  return error ? error : read_memprof(indexed, to);
}

/* ---- the file ---- */

/* ==== The header consists of u64 fields, some only since a version:
 *   magic, version and variant, 0, kind of hashes, offset of the hash table,
 *   8: of the memory profile, 9: of build ids, 10: of traces, 12: of names of
 *   vtables
 * The whole file is checked before anything is added, unless lost_on_error.
 */

static const char cut[] = "the file is truncated; copy the file again";

/* Early versions used the byte order of the writing machine. Only little-endian
 * files are supported. */
static const unsigned char magic[8] = {0xFF, 'l', 'p', 'r',
                                       'o',  'f', 'i', 0x81};

bool indexed_has_magic(struct bytes file) {
  return file.size >= 8 && memcmp(file.data, magic, 8) == 0;
}

static void decode_version_word(struct indexed_profile *indexed,
                                uint64_t word) {
  indexed->version = (unsigned)(word & UINT32_MAX);
  indexed->memory = word >> 62 & 1;
  indexed->flags = profile_decode_flags(word);
}

static const char *open_indexed(struct indexed_profile *indexed,
                                struct bytes file) {
  static const unsigned char since[] = {1, 8, 9, 10, 12};
  *indexed = (struct indexed_profile){.file = file};
  if (!indexed_has_magic(file))
    return "this is not an indexed profile; pass a .profdata";
  if (file.size < 40)
    return cut;
  decode_version_word(indexed, indexed_load_number(indexed, 8));
  if (indexed->version < 1 || indexed->version > INDEXED_NEWEST)
    return "the index version is not supported; upgrade bareprof";
  if (indexed_load_number(indexed, 24) != 0)
    return "the names are hashed with another function than MD5; upgrade "
           "bareprof";
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

/* ==== Reading as a whole */

static enum profile_bitmaps
bitmaps_of_version(const struct indexed_profile *indexed) {
  return indexed->version < 12 ? BITMAPS_18 : BITMAPS_19;
}

/* Walks over the functions, and adds them to *to unless to is NULL. events may
 * be NULL. Notes whether there are bitmaps. Returns NULL or the error. */
static const char *read_functions(struct indexed_profile *indexed,
                                  struct profile *to, uint64_t weight,
                                  const struct addition_handler *events) {
  struct indexed_walk walk;
  indexed_walk_begin(&walk, indexed, to);
  walk.weight = weight;
  walk.events = events;
  const char *error = indexed_walk_read_all(&walk);
  if (walk.bitmaps)
    indexed->bitmaps = bitmaps_of_version(indexed);
  indexed_walk_end(&walk);
  return error;
}

const char *indexed_read(struct profile *profile, struct bytes file,
                         uint64_t weight,
                         const struct addition_handler *events) {
  struct indexed_profile indexed;
  const char *error = open_indexed(&indexed, file);
  if (!error && !profile->lost_on_error)
    error = read_functions(&indexed, NULL, weight, NULL);
  if (!error)
    error = read_other_sections(&indexed, NULL, weight);
  if (!error && indexed.memory && profile->memprof.size)
    error = "this file has a memory profile, and so has an earlier one; pass "
            "only one of them";
  if (!error && (!indexed.memory || indexed.flags & PROFILE_IR))
    error = profile_join_kind(profile, indexed.flags, indexed.bitmaps);
  if (error)
    return error;
  error = read_functions(&indexed, profile, weight, events);
  /* Without the first walk, bitmaps are found only now. */
  if (!error && indexed.bitmaps)
    error = profile_join_kind(profile, profile->flags, indexed.bitmaps);
  return error ? error : read_other_sections(&indexed, profile, weight);
}

/* ==== Reading in windows */

/* Everything in one allocation. */
struct indexed_windows_state {
  struct indexed_windows windows;
  struct indexed_profile indexed;
  struct indexed_walk walk;
  struct addition_handler events;
};

static void mark_wrong(void *context, enum addition_result result,
                       const struct record_counts *counts,
                       const struct counts_addition *addition) {
  (void)result, (void)counts, (void)addition;
  ((struct indexed_walk *)context)->wrong = true;
}

struct indexed_windows *indexed_windows_new(struct bytes file,
                                            struct profile *rest) {
  struct indexed_windows_state *all = calloc(1, sizeof *all);
  if (!all)
    return NULL;
  struct indexed_windows *windows = &all->windows;
  struct indexed_profile *indexed = &all->indexed;
  bool right = !open_indexed(indexed, file) && !indexed->memory;
  indexed_walk_begin(&all->walk, indexed, &windows->profile);
  profile_new(&windows->profile, file.size * 16 + (1 << 20));
  all->events = (struct addition_handler){mark_wrong, &all->walk};
  all->walk.events = &all->events;
  all->walk.windows = true;
  windows->walk = &all->walk;
  if (right && !indexed_walk_open(&all->walk) &&
      !profile_join_kind(&windows->profile, indexed->flags, BITMAPS_NONE) &&
      !profile_join_kind(rest, indexed->flags, BITMAPS_NONE) &&
      !read_other_sections(indexed, rest, 1)) {
    windows->buckets = (size_t)all->walk.buckets;
    windows->bitmaps = bitmaps_of_version(indexed);
    return windows;
  }
  indexed_windows_free(windows);
  return NULL;
}

void indexed_windows_free(struct indexed_windows *windows) {
  if (!windows)
    return;
  indexed_walk_end(windows->walk);
  profile_free(&windows->profile);
  free(windows);
}

void indexed_windows_visit(struct indexed_windows *windows,
                           indexed_record_visitor *see, void *context) {
  struct indexed_walk *walk = windows->walk;
  walk->to = NULL;
  walk->see = see;
  walk->context = context;
  walk->wrong = indexed_walk_read_buckets(walk, 0, walk->buckets) ||
                indexed_walk_add_waiting(walk) ||
                walk->functions != walk->expected || walk->wrong;
  walk->to = &windows->profile;
  indexed_walk_rewind(walk);
}

bool indexed_windows_visit_all(struct indexed_windows *windows, bool again,
                               indexed_record_visitor *see, void *context) {
  windows->walk->alone = true;
  if (again)
    windows->walk->forgotten = SIZE_MAX;
  indexed_windows_visit(windows, see, context);
  windows->profile.has_bitmaps = windows->walk->bitmaps;
  return indexed_windows_are_valid(windows, false);
}

void indexed_windows_load(struct indexed_windows *windows, size_t first,
                          size_t end, size_t step,
                          const struct profile *other) {
  struct indexed_walk *walk = windows->walk;
  const char *error = NULL;
  profile_clear(&windows->profile);
  walk->other = other;
  walk->records = 0;
  for (size_t row = 0; row < windows->buckets && !error; row += step)
    error = indexed_walk_read_buckets(walk, row + first, row + end);
  if (!error)
    error = indexed_walk_add_waiting(walk);
  walk->wrong =
      walk->wrong || error || walk->records != windows->profile.record_count;
}

bool indexed_windows_are_valid(const struct indexed_windows *windows,
                               bool all) {
  const struct indexed_walk *walk = windows->walk;
  return !walk->wrong && (!all || walk->functions == walk->expected);
}
