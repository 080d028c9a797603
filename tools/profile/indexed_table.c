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
  struct table_function *function = &table->functions[number];
  size_t *first = &table->first[function->reference & (table->buckets - 1)];
  function->next = *first;
  *first = number + 1;
}

static bool resize(struct table *table, size_t buckets) {
  size_t *old = table->first, old_buckets = table->buckets;
  table->first = calloc(buckets, sizeof *table->first);
  table->buckets = buckets;
  for (size_t i = 0; table->first && i < old_buckets; i++)
    while (old[i]) {
      size_t number = old[i] - 1;
      old[i] = table->functions[number].next;
      insert(table, number);
    }
  free(old);
  return table->first != NULL;
}

static bool fill(struct table *table) {
  size_t count = table->count, buckets = 1;
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
  for (size_t at = table->first[bucket]; at; at = table->functions[at - 1].next)
    count++;
  return count;
}

/* Lays a bucket out from *at on, and moves that behind it; order is where the
 * numbers of its functions go. Returns how many there are. */
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

static bool measure(struct table *table, struct functions_list functions,
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
  static const char no_memory[] = "not enough memory; free some";
  *table = (struct table){0};
  table->functions = malloc((functions.count + 1) * sizeof *table->functions);
  if (!table->functions)
    return no_memory;
  if (!measure(table, functions, records))
    return "a function has more values than an indexed profile can hold; "
           "write text, or merge fewer files";
  if (!fill(table) ||
      !(table->order = malloc((table->count + 1) * sizeof *table->order)) ||
      !(table->begins = malloc(table->buckets * sizeof *table->begins)))
    return no_memory;
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

/* Asks for a function that comes later: for its place, and when that is there
 * for itself. */
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
