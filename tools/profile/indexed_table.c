/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of functions in an indexed profile: the functions of each bucket,
 *   u16 how many; each u64 hash, u64 bytes of the name, u64 bytes of the
 *   records, the name, the records
 * then at a multiple of 8
 *   u64 number of buckets; u64 number of functions; u64 where each bucket is,
 *   0 for an empty one
 * The order within a bucket is that of LLVM, which puts each function before
 * those that are there and moves all when there are many.
 */
#include <stdlib.h>

#include "indexed_inside.h"

enum { FIRST_BUCKETS = 64 };

static void insert(struct table *table, size_t number) {
  uint64_t hash = table->functions.list[number]->reference;
  size_t *first = &table->first[hash & (table->buckets - 1)];
  table->next[number] = *first;
  *first = number + 1;
}

static bool resize(struct table *table, size_t buckets) {
  size_t *old = table->first, old_buckets = table->buckets;
  table->first = calloc(buckets, sizeof *table->first);
  table->buckets = buckets;
  for (size_t i = 0; table->first && i < old_buckets; i++)
    while (old[i]) {
      size_t number = old[i] - 1;
      old[i] = table->next[number];
      insert(table, number);
    }
  free(old);
  return table->first != NULL;
}

static bool fill(struct table *table) {
  size_t count = table->functions.count, buckets = 1;
  if (!resize(table, FIRST_BUCKETS))
    return false;
  for (size_t i = 0; i < count; i++) {
    if (4 * (i + 1) >= 3 * table->buckets && !resize(table, 2 * table->buckets))
      return false;
    insert(table, i);
  }
  while (count > 2 && buckets <= count * 4 / 3)
    buckets *= 2;
  return buckets == table->buckets || resize(table, buckets);
}

static size_t bucket_count(const struct table *table, size_t bucket) {
  size_t count = 0;
  for (size_t at = table->first[bucket]; at; at = table->next[at - 1])
    count++;
  return count;
}

/* Lays a bucket out from *at on, and moves that behind it. */
static bool lay_out_bucket(struct table *table, size_t bucket, uint64_t *at) {
  uint64_t begin = *at;
  size_t count = 0;
  for (size_t i = table->first[bucket]; i; i = table->next[i - 1], count++)
    *at += 24 + table->functions.list[i - 1]->name_size + table->sizes[i - 1];
  table->begins[bucket] = count ? begin : 0;
  *at += count ? 2 : 0;
  return count <= UINT16_MAX;
}

static const char *lay_out(struct table *table, const struct records *records,
                           uint64_t at) {
  for (size_t i = 0; i < table->functions.count; i++) {
    table->sizes[i] = records_size(records, table->functions.list[i]);
    if (!table->sizes[i])
      return "a function has more values than an indexed profile can hold; "
             "write text, or merge fewer files";
  }
  for (size_t i = 0; i < table->buckets; i++)
    if (!lay_out_bucket(table, i, &at))
      return "its functions' names are made to have the same hash; write text";
  table->table_at = (at + 7) / 8 * 8;
  table->end = table->table_at + 16 + 8 * table->buckets;
  return NULL;
}

const char *table_new(struct table *table, struct functions_list functions,
                      const struct records *records, uint64_t at) {
  *table = (struct table){.functions = functions};
  table->next = malloc((functions.count + 1) * sizeof *table->next);
  table->sizes = malloc((functions.count + 1) * sizeof *table->sizes);
  if (!table->next || !table->sizes || !fill(table) ||
      !(table->begins = malloc(table->buckets * sizeof *table->begins)))
    return "not enough memory; free some";
  return lay_out(table, records, at);
}

void table_free(struct table *table) {
  free(table->first);
  free(table->next);
  free(table->sizes);
  free(table->begins);
}

static void write_bucket(const struct table *table, struct records *records,
                         struct emit *emit, size_t bucket) {
  if (table->first[bucket])
    emit_number(emit, bucket_count(table, bucket), 2);
  for (size_t at = table->first[bucket]; at; at = table->next[at - 1]) {
    const struct function_entry *function = table->functions.list[at - 1];
    emit64(emit, function->reference);
    emit64(emit, function->name_size);
    emit64(emit, table->sizes[at - 1]);
    emit_bytes(emit, function->name, function->name_size);
    records_write(records, emit, function);
  }
}

void table_write(const struct table *table, struct records *records,
                 struct emit *emit) {
  for (size_t i = 0; i < table->buckets; i++)
    write_bucket(table, records, emit, i);
  emit_pad(emit, emit->at);
  emit64(emit, table->buckets);
  emit64(emit, table->functions.count);
  for (size_t i = 0; i < table->buckets; i++)
    emit64(emit, table->begins[i]);
}
