/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The records of a function in an indexed profile, each
 *   u64 hash; u64 number of counters; u64 for each
 *   since version 11: u64 number of bitmap bytes; u64 for each
 *   value data: see sites_read.c
 * in the order of the hash table that LLVM keeps them in.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/error.h"
#include "indexed_records.h"

enum { FEW_SLOTS = 4, MORE_SLOTS = 64 };

/* Crafted hashes can take as many steps as there are records. Functions with
 * more records than this are sorted by hash. */
enum { IN_ORDER_MOST = 1024 };

static size_t records_of(const struct function_entry *function) {
  size_t count = 0;
  for (const struct counts *at = function->counts; at; at = at->next)
    count++;
  return count;
}

/* ---- the order ---- */

/* LLVM's table doubles when three quarters would be in use, from 4 slots to 64,
 * and so on. */
static size_t slots_after(size_t slots, size_t count) {
  if (4 * count < 3 * slots)
    return slots;
  return slots == FEW_SLOTS ? (size_t)MORE_SLOTS : 2 * slots;
}

bool records_new(struct records *records, struct functions_list functions,
                 unsigned version, uint64_t hash_bits) {
  size_t most = 0, slots = FEW_SLOTS;
  *records = (struct records){.version = version, .hash_bits = hash_bits};
  for (size_t i = 0; i < functions.count; i++)
    if (functions.list[i]->counts->next) {
      size_t count = records_of(functions.list[i]);
      most = count > most ? count : most;
    }
  while (slots_after(slots, most) != slots)
    slots = slots_after(slots, most);
  records->slots = malloc(slots * sizeof *records->slots);
  records->spare = malloc(slots * sizeof *records->spare);
  return ranking_new(&records->ranking, functions) && records->slots &&
         records->spare;
}

void records_free(struct records *records) {
  ranking_free(&records->ranking);
  free(records->slots);
  free(records->spare);
}

/* LLVM's hash of a number to find its slot: one before version 12, and one
 * since. */
static uint32_t slot_of(const struct records *records, uint64_t hash) {
  if (records->version < 12)
    return (uint32_t)(hash * 37);
  hash *= UINT64_C(0xBF58476D1CE4E5B9);
  return (uint32_t)(hash ^ hash >> 31);
}

static void insert_counts(struct records *records,
                          const struct counts *counts) {
  uint32_t mask = (uint32_t)records->slot_count - 1, step = 1;
  uint32_t at = slot_of(records, counts->hash & records->hash_bits) & mask;
  while (records->slots[at])
    at = (at + step++) & mask;
  records->slots[at] = counts;
}

static void clear_slots(struct records *records, size_t slots) {
  records->slot_count = slots;
  for (size_t i = 0; i < slots; i++)
    records->slots[i] = NULL;
}

static void grow_slots(struct records *records, size_t slots) {
  const struct counts **old = records->slots;
  size_t old_count = records->slot_count;
  records->slots = records->spare;
  records->spare = old;
  clear_slots(records, slots);
  for (size_t i = 0; i < old_count; i++)
    if (old[i])
      insert_counts(records, old[i]);
}

ORDER_BY(by_hash, struct counts *const, (*x)->hash);

static void order_records(struct records *records,
                          const struct function_entry *function) {
  size_t count = 0, all = records_of(function);
  if (all > IN_ORDER_MOST) {
    for (const struct counts *at = function->counts; at; at = at->next)
      records->slots[count++] = at;
    qsort(records->slots, all, sizeof *records->slots, by_hash);
    records->slot_count = all;
    return;
  }
  clear_slots(records, FEW_SLOTS);
  for (const struct counts *at = function->counts; at; at = at->next) {
    size_t slots = slots_after(records->slot_count, ++count);
    if (slots != records->slot_count)
      grow_slots(records, slots);
    insert_counts(records, at);
  }
}

/* ---- value data ---- */

static uint64_t head_size(const struct counts *counts, unsigned kind) {
  return (8 + (uint64_t)counts->site_count[kind] + 7) / 8 * 8;
}

static uint64_t values_size(const struct counts *counts) {
  uint64_t size = 8;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    if (!counts->site_count[kind])
      continue;
    size += head_size(counts, kind);
    for (uint32_t i = 0; i < counts->site_count[kind]; i++)
      size += 16 * (uint64_t)ranked_count(&counts->sites[kind][i]);
  }
  return size;
}

static void write_kind(struct records *records, struct emit *emit,
                       const struct counts *counts, unsigned kind) {
  uint32_t sites = counts->site_count[kind];
  emit_number(emit, kind, 4);
  emit_number(emit, sites, 4);
  for (uint32_t i = 0; i < sites; i++)
    emit_number(emit, ranked_count(&counts->sites[kind][i]), 1);
  for (uint64_t at = 8 + (uint64_t)sites; at < head_size(counts, kind); at++)
    emit_number(emit, 0, 1);
  for (uint32_t i = 0; i < sites; i++) {
    uint32_t count = rank_values(&records->ranking, &counts->sites[kind][i]);
    for (uint32_t j = 0; j < count; j++) {
      emit64(emit, records->ranking.list[j].value.value);
      emit64(emit, records->ranking.list[j].value.count);
    }
  }
}

static void write_values(struct records *records, struct emit *emit,
                         const struct counts *counts) {
  uint32_t kinds = 0;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    kinds += counts->site_count[kind] != 0;
  emit_number(emit, values_size(counts), 4);
  emit_number(emit, kinds, 4);
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    if (counts->site_count[kind])
      write_kind(records, emit, counts, kind);
}

/* ---- records ---- */

/* Bytes of a function's records; 0: the format has no number for them. */
static uint64_t records_size(const struct records *records,
                             const struct function_entry *function) {
  uint64_t size = 0;
  for (const struct counts *at = function->counts; at; at = at->next) {
    uint64_t values = values_size(at);
    if (values > UINT32_MAX)
      return 0;
    size += 16 + 8 * (uint64_t)at->counter_count + values;
    if (records->version >= 11)
      size += 8 + 8 * (uint64_t)at->bitmap_size;
  }
  return size;
}

static void write_record(struct records *records, struct emit *emit,
                         const struct counts *counts) {
  emit64(emit, counts->hash & records->hash_bits);
  emit64(emit, counts->counter_count);
  emit_numbers(emit, counts->counters, counts->counter_count);
  if (records->version >= 11) {
    emit64(emit, counts->bitmap_size);
    for (uint32_t i = 0; i < counts->bitmap_size; i++)
      emit64(emit, counts->bitmap[i]);
  }
  write_values(records, emit, counts);
}

static void records_write(struct records *records, struct emit *emit,
                          const struct function_entry *function) {
  if (!function->counts->next) {
    write_record(records, emit, function->counts);
    return;
  }
  order_records(records, function);
  for (size_t i = 0; i < records->slot_count; i++)
    if (records->slots[i])
      write_record(records, emit, records->slots[i]);
}

/* ==== The table of functions in an indexed profile: the functions of each
 * bucket,
 *   u16 how many; each u64 hash, u64 bytes of the name, u64 bytes of the
 *   records, the name, the records
 * then at a multiple of 8
 *   u64 number of buckets; u64 number of functions; u64 where each bucket is,
 *   0 for an empty one
 * The order within a bucket is that of LLVM, which puts each function before
 * those that are there and moves all when there are many. */

enum { FIRST_BUCKETS = 64 };

static void table_insert(struct table *table, size_t number) {
  struct table_function *function = &table->functions[number];
  size_t *first = &table->first[function->reference & (table->buckets - 1)];
  function->next = *first;
  *first = number + 1;
}

static bool resize_table(struct table *table, size_t buckets) {
  size_t *old = table->first, old_buckets = table->buckets;
  table->first = calloc(buckets, sizeof *table->first);
  table->buckets = buckets;
  for (size_t i = 0; table->first && i < old_buckets; i++)
    while (old[i]) {
      size_t number = old[i] - 1;
      old[i] = table->functions[number].next;
      table_insert(table, number);
    }
  free(old);
  return table->first != NULL;
}

/* Inserts the functions in the order of their numbers in table->order. */
static bool fill_table(struct table *table) {
  size_t count = table->count, buckets = 1;
  if (!resize_table(table, FIRST_BUCKETS))
    return false;
  for (size_t i = 0; i < count; i++) {
    if (4 * (i + 1) >= 3 * table->buckets &&
        !resize_table(table, 2 * table->buckets))
      return false;
    table_insert(table, table->order[i]);
  }
  while (count > 2 && buckets <= count * 4 / 3)
    buckets *= 2;
  return buckets == table->buckets || resize_table(table, buckets);
}

static size_t bucket_count(const struct table *table, size_t bucket) {
  size_t count = 0;
  for (size_t at = table->first[bucket]; at; at = table->functions[at - 1].next)
    count++;
  return count;
}

/* Lays a bucket out from *at on, and moves *at behind the bucket. Writes the
 * numbers of its functions to order. Returns how many there are. */
static size_t lay_out_bucket(struct table *table, size_t bucket, uint64_t *at,
                             size_t *order) {
  uint64_t begin = *at;
  size_t count = 0;
  for (size_t i = table->first[bucket]; i;) {
    order[count++] = i - 1;
    *at += table->functions[i - 1].bytes;
    i = table->functions[i - 1].next;
  }
  table->begins[bucket] = count ? begin : 0;
  *at += count ? 2 : 0;
  return count;
}

static const char *lay_out(struct table *table, uint64_t at) {
  size_t done = 0;
  for (size_t i = 0; i < table->buckets; i++) {
    size_t count = lay_out_bucket(table, i, &at, table->order + done);
    if (count > UINT16_MAX)
      return "its functions' names are made to have the same hash; write text";
    done += count;
  }
  table->table_at = (at + 7) / 8 * 8;
  table->end = table->table_at + 16 + 8 * table->buckets;
  return NULL;
}

static bool measure_functions(struct table *table,
                              struct functions_list functions,
                              const struct records *records) {
  uint64_t size = 1;
  table->count = functions.count;
  for (size_t i = 0; i < functions.count && size; i++) {
    const struct function_entry *function = functions.list[i];
    if (i + FUNCTIONS_AHEAD < functions.count)
      function_ahead(functions.list[i + FUNCTIONS_AHEAD]);
    size = records_size(records, function);
    table->functions[i] = (struct table_function){
        function, function->reference, size + function->name_size + 24, 0};
  }
  return size;
}

const char *table_new(struct table *table, struct functions_list functions,
                      const struct records *records, uint64_t at) {
  *table = (struct table){0};
  table->functions = malloc((functions.count + 1) * sizeof *table->functions);
  if (!table->functions)
    return out_of_memory;
  if (!measure_functions(table, functions, records))
    return "a function has more values than an indexed profile can hold; "
           "write text, or merge fewer files";
  table->order = malloc((table->count + 1) * sizeof *table->order);
  if (!table->order || !functions_order(functions, table->order) ||
      !fill_table(table) ||
      !(table->begins = malloc(table->buckets * sizeof *table->begins)))
    return out_of_memory;
  return lay_out(table, at);
}

void table_free(struct table *table) {
  free(table->first);
  free(table->functions);
  free(table->order);
  free(table->begins);
}

static void write_function(const struct table_function *function,
                           struct records *records, struct emit *emit) {
  size_t name_size = function->entry->name_size;
  emit64(emit, function->reference);
  emit64(emit, name_size);
  emit64(emit, function->bytes - name_size - 24);
  emit_bytes(emit, function->entry->name, name_size);
  records_write(records, emit, function->entry);
}

/* Prefetches a later function: first its place, and later the function
 * itself. */
static void write_ahead(const struct table *table, size_t i) {
  size_t soon = i + FUNCTIONS_AHEAD, later = soon + FUNCTIONS_AHEAD;
  if (later >= table->count)
    return;
  __builtin_prefetch(&table->functions[table->order[later]]);
  function_ahead(table->functions[table->order[soon]].entry);
}

void table_write(const struct table *table, struct records *records,
                 struct emit *emit) {
  size_t at = 0;
  for (size_t i = 0; i < table->buckets; i++) {
    size_t left = bucket_count(table, i);
    if (left)
      emit_number(emit, left, 2);
    for (; left; left--) {
      write_ahead(table, at);
      write_function(&table->functions[table->order[at++]], records, emit);
    }
  }
  emit_pad(emit, emit->at);
  emit64(emit, table->buckets);
  emit64(emit, table->count);
  for (size_t i = 0; i < table->buckets; i++)
    emit64(emit, table->begins[i]);
}
