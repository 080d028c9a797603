/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of functions in an indexed profile: the functions of each bucket,
 *   u16 how many; each u64 hash, u64 bytes of the name, u64 bytes of the
 *   records, the name, the records
 * then at a multiple of 8
 *   u64 number of buckets; u64 number of functions; u64 where each bucket is,
 *   0 for an empty one
 *
 * The order within a bucket is that of LLVM. It inserts the functions by
 * ascending name, each at the front of its bucket. When three quarters are in
 * use, it doubles the table, which turns around those that stay together. So
 * the order follows from the names of a bucket and from how often the table was
 * doubled before and after each: names need only be sorted as far as to tell
 * that, and then within buckets.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/error.h"
#include "../base/os.h"
#include "indexed_records.h"

enum { FIRST_BUCKETS = 64, BUCKET_MOST = UINT16_MAX };

bool table_new(struct table *table, size_t functions) {
  *table = (struct table){0};
  size_t size = (functions + 1) * sizeof *table->functions;
  table->functions = os_large_pages(malloc(size), size);
  return table->functions != NULL;
}

void table_free(struct table *table) {
  free(table->functions);
  free(table->spare);
  free(table->first);
  free(table->begins);
}

bool table_add(struct table *table, const struct records *records,
               struct function_entry *function) {
  uint64_t size = records_size(records, function);
  table->functions[table->count++] = (struct table_function){
      function, function->reference, size + function->name_size + 24, 0};
  return size != 0;
}

/* ---- when each function is inserted ---- */

/* Whether the table is full before function number i, by name, is inserted. */
static bool is_full(size_t buckets, size_t i) {
  return 4 * (i + 1) >= 3 * buckets;
}

/* Whether names from place first up to end need an order among themselves:
 * the table is doubled between them. */
static bool table_divides(size_t first, size_t end) {
  size_t buckets = FIRST_BUCKETS;
  while (is_full(buckets, first))
    buckets *= 2;
  return end && is_full(buckets, end - 1);
}

/* Finds out how often the table was doubled before each function. */
static void count_doublings(struct table *table, const struct keyed *by_name) {
  size_t buckets = FIRST_BUCKETS;
  for (size_t i = 0; i < table->count; i++) {
    while (is_full(buckets, i)) {
      buckets *= 2;
      table->doublings++;
    }
    ((struct table_function *)(uintptr_t)by_name[i].item)->step =
        table->doublings;
  }
  table->buckets = 1;
  while (table->count > 2 && table->buckets <= table->count * 4 / 3)
    table->buckets *= 2;
}

/* A small table, which was never doubled, ends smaller than it was. Bucket by
 * bucket is moved, front to back, each function to the front again. */
static void move_buckets(struct table *table) {
  for (size_t i = 0; i < table->count; i++)
    table->functions[i].step =
        FIRST_BUCKETS - 1 -
        (unsigned)(table->functions[i].reference % FIRST_BUCKETS);
}

static bool is_moved(const struct table *table) {
  return table->buckets < FIRST_BUCKETS;
}

static const char *find_steps(struct table *table) {
  size_t room = table->count + 1, size = 2 * room * sizeof(struct keyed);
  struct keyed *by_name = os_large_pages(malloc(size), size);
  if (!by_name)
    return out_of_memory;
  for (size_t i = 0; i < table->count; i++)
    by_name[i].item = (uintptr_t)&table->functions[i];
  names_divide(by_name, by_name + room, table->count, table_divides);
  count_doublings(table, by_name);
  if (is_moved(table))
    move_buckets(table);
  free(by_name);
  return NULL;
}

/* ---- what is where ---- */

static size_t bucket_of(const struct table *table, size_t i) {
  return table->functions[i].reference & (table->buckets - 1);
}

/* Fills first and begins, at first with what each bucket has. */
static const char *place_buckets(struct table *table, uint64_t at) {
  size_t done = 0, most = 0;
  for (size_t i = 0; i < table->count; i++) {
    table->first[bucket_of(table, i)]++;
    table->begins[bucket_of(table, i)] += table->functions[i].bytes;
  }
  for (size_t i = 0; i < table->buckets; i++) {
    size_t count = table->first[i];
    uint64_t bytes = table->begins[i];
    most = count > most ? count : most;
    table->first[i] = done;
    table->begins[i] = count ? at : 0;
    at += count ? bytes + 2 : 0;
    done += count;
  }
  table->first[table->buckets] = done;
  table->table_at = (at + 7) / 8 * 8;
  table->end = table->table_at + 16 + 8 * table->buckets;
  if (most > BUCKET_MOST)
    return "its functions' names are made to have the same hash; write text";
  table->spare = malloc((2 * most + 1) * sizeof *table->spare);
  return table->spare ? NULL : out_of_memory;
}

/* Puts each function behind the others of its bucket. */
static bool fill_buckets(struct table *table) {
  size_t size = (table->count + 1) * sizeof *table->functions;
  struct table_function *order = os_large_pages(malloc(size), size);
  if (!order)
    return false;
  for (size_t i = 0; i < table->count; i++)
    order[table->first[bucket_of(table, i)]++] = table->functions[i];
  memmove(table->first + 1, table->first,
          table->buckets * sizeof *table->first);
  table->first[0] = 0;
  free(table->functions);
  table->functions = order;
  return true;
}

const char *table_lay_out(struct table *table, uint64_t at) {
  const char *error = find_steps(table);
  if (error)
    return error;
  table->first = calloc(table->buckets + 1, sizeof *table->first);
  table->begins = calloc(table->buckets, sizeof *table->begins);
  if (!table->first || !table->begins)
    return out_of_memory;
  error = place_buckets(table, at);
  return error ? error : fill_buckets(table) ? NULL : out_of_memory;
}

/* ---- the order in a bucket ---- */

static int by_step(const void *left, const void *right) {
  const struct table_function *a = left, *b = right;
  int order = compare_numbers(a->step, b->step);
  return order ? order
               : compare_bytes(a->entry->name, a->entry->name_size,
                               b->entry->name, b->entry->name_size);
}

/* What the steps leave in a bucket, front to back. A row that is turned around
 * is read from the other end. */
static void insert_in_steps(const struct table *table,
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

static void order_bucket(const struct table *table, size_t first,
                         size_t count) {
  enum { FEW = 8 };
  struct table_function *list = table->functions + first;
  if (count > FEW)
    qsort(list, count, sizeof *list, by_step);
  for (size_t i = 1; i < count && count <= FEW; i++)
    for (size_t at = i; at && by_step(&list[at - 1], &list[at]) > 0; at--) {
      struct table_function one = list[at];
      list[at] = list[at - 1];
      list[at - 1] = one;
    }
  if (!is_moved(table))
    insert_in_steps(table, list, count);
}

/* ---- writing ---- */

static void write_function(const struct table_function *function,
                           struct records *records, struct emit *emit) {
  size_t name_size = function->entry->name_size;
  emit64(emit, function->reference);
  emit64(emit, name_size);
  emit64(emit, function->bytes - name_size - 24);
  emit_bytes(emit, function->entry->name, name_size);
  records_write(records, emit, function->entry);
}

/* Prefetches a later function: first itself, then what it points to. */
static void write_ahead(const struct table *table, size_t i) {
  size_t near = i + FUNCTIONS_AHEAD / 2, soon = i + FUNCTIONS_AHEAD;
  if (soon >= table->count)
    return;
  function_ahead(table->functions[soon].entry);
  function_behind(table->functions[near].entry);
}

void table_write(struct table *table, struct records *records,
                 struct emit *emit) {
  for (size_t i = 0; i < table->buckets; i++) {
    size_t first = table->first[i], end = table->first[i + 1];
    if (end > first + 1)
      order_bucket(table, first, end - first);
    if (end > first)
      emit_number(emit, end - first, 2);
    for (size_t at = first; at < end; at++) {
      write_ahead(table, at);
      write_function(&table->functions[at], records, emit);
    }
  }
  emit_pad(emit, emit->at);
  emit64(emit, table->buckets);
  emit64(emit, table->count);
  emit_numbers(emit, table->begins, table->buckets);
}
