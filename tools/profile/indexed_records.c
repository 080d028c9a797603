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
#include "indexed.h"

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

bool records_new(struct function_records *records,
                 const struct profile *profile, unsigned version) {
  size_t most = 0, slots = FEW_SLOTS;
  *records = (struct function_records){
      .version = version,
      .hash_bits =
          version < 13 ? UINT64_MAX : profile_hash(profile, UINT64_MAX)};
  for (size_t i = 0; profile->several && i < profile->function_count; i++) {
    size_t count = records_of(profile->arrived[i]);
    most = count > most ? count : most;
  }
  while (slots_after(slots, most) != slots)
    slots = slots_after(slots, most);
  records->slots = malloc(slots * sizeof *records->slots);
  records->spare = malloc(slots * sizeof *records->spare);
  return ranking_new(&records->ranking, profile) && records->slots &&
         records->spare;
}

void records_free(struct function_records *records) {
  ranking_free(&records->ranking);
  free(records->slots);
  free(records->spare);
}

/* LLVM's hash of a number to find its slot: one before version 12, and one
 * since. */
static uint32_t slot_of(const struct function_records *records, uint64_t hash) {
  if (records->version < 12)
    return (uint32_t)(hash * 37);
  hash *= UINT64_C(0xBF58476D1CE4E5B9);
  return (uint32_t)(hash ^ hash >> 31);
}

static void insert_counts(struct function_records *records,
                          const struct counts *counts) {
  uint32_t mask = (uint32_t)records->slot_count - 1, step = 1;
  uint32_t at = slot_of(records, counts->hash & records->hash_bits) & mask;
  while (records->slots[at])
    at = (at + step++) & mask;
  records->slots[at] = counts;
}

static void clear_slots(struct function_records *records, size_t slots) {
  records->slot_count = slots;
  for (size_t i = 0; i < slots; i++)
    records->slots[i] = NULL;
}

static void grow_slots(struct function_records *records, size_t slots) {
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

static void order_records(struct function_records *records,
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
  return (8 + (uint64_t)counts->more->site_count[kind] + 7) / 8 * 8;
}

static uint64_t values_size(const struct counts *counts) {
  uint64_t size = 8;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    if (!counts->more->site_count[kind])
      continue;
    size += head_size(counts, kind);
    for (uint32_t i = 0; i < counts->more->site_count[kind]; i++)
      size += 16 * (uint64_t)ranked_count(&counts->more->sites[kind][i]);
  }
  return size;
}

static void write_kind(struct function_records *records, struct emit *emit,
                       const struct counts *counts, unsigned kind) {
  uint32_t sites = counts->more->site_count[kind];
  emit64(emit, kind | (uint64_t)sites << 32);
  for (uint32_t i = 0; i < sites; i++)
    emit_number(emit, ranked_count(&counts->more->sites[kind][i]), 1);
  for (uint64_t at = 8 + (uint64_t)sites; at < head_size(counts, kind); at++)
    emit_number(emit, 0, 1);
  for (uint32_t i = 0; i < sites; i++) {
    uint32_t count =
        rank_values(&records->ranking, &counts->more->sites[kind][i]);
    for (uint32_t j = 0; j < count; j++) {
      emit64(emit, records->ranking.list[j].value.value);
      emit64(emit, records->ranking.list[j].value.count);
    }
  }
}

static void write_values(struct function_records *records, struct emit *emit,
                         const struct counts *counts) {
  uint64_t kinds = 0;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    kinds += counts->more->site_count[kind] != 0;
  emit64(emit, values_size(counts) | kinds << 32);
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    if (counts->more->site_count[kind])
      write_kind(records, emit, counts, kind);
}

/* ---- records ---- */

uint64_t records_size(const struct function_records *records,
                      const struct function_entry *function) {
  uint64_t size = 0;
  for (const struct counts *at = function->counts; at; at = at->next) {
    uint64_t values = values_size(at);
    if (values > UINT32_MAX)
      return 0;
    size += 16 + 8 * (uint64_t)at->counter_count + values;
    if (records->version >= 11)
      size += 8 + 8 * (uint64_t)at->more->bitmap_size;
  }
  return size;
}

static void write_record(struct function_records *records, struct emit *emit,
                         const struct counts *counts) {
  emit64(emit, counts->hash & records->hash_bits);
  emit64(emit, counts->counter_count);
  emit_numbers(emit, counts->counters, counts->counter_count);
  if (records->version >= 11) {
    emit64(emit, counts->more->bitmap_size);
    for (uint32_t i = 0; i < counts->more->bitmap_size; i++)
      emit64(emit, counts->more->bitmap[i]);
  }
  write_values(records, emit, counts);
}

void records_write(struct function_records *records, struct emit *emit,
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
