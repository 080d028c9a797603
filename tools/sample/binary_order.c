/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libstdc++'s std::unordered_map: one list of all elements, in which those of
 * a bucket are next to each other. An element goes before those of its bucket,
 * or before all if it is the bucket's first. When there are as many elements as
 * buckets, all elements are put into twice as many, in the order of the list.
 */
#include "binary_order.h"

#include <stdlib.h>

#include "context_hash.h"

#define NOTHING UINT32_MAX

struct table {
  const uint64_t *keys; /* of elements, which count from 1 */
  uint32_t *next;       /* of elements; of 0: the first. 0: none */
  uint32_t *before;     /* of buckets: what comes before, or NOTHING */
  uint32_t buckets, count;
};

/* How many buckets it has, one after the other: primes. */
static const uint32_t sizes[] = {
    13,      29,      59,      127,      257,      541,      1109,     2357,
    5087,    10273,   20753,   42043,    85229,    172933,   351061,   712697,
    1447153, 2938679, 5967347, 12117689, 24607243, 49969847, 101473717};
enum { SIZES = sizeof sizes / sizeof *sizes };

static uint32_t bucket_of(const struct table *table, uint32_t element) {
  return (uint32_t)(table->keys[element] % table->buckets);
}

static void put(struct table *table, uint32_t element) {
  uint32_t *before = &table->before[bucket_of(table, element)];
  if (*before == NOTHING) {
    uint32_t first = table->next[0];
    *before = 0;
    if (first)
      table->before[bucket_of(table, first)] = element;
  }
  table->next[element] = table->next[*before];
  table->next[*before] = element;
}

static void grow(struct table *table) {
  unsigned size = 0;
  while (size + 1 < SIZES && sizes[size] <= table->buckets)
    size++;
  table->buckets = sizes[size];
  for (uint32_t i = 0; i < table->buckets; i++)
    table->before[i] = NOTHING;
  uint32_t element = table->next[0], next;
  for (table->next[0] = 0; element; element = next) {
    next = table->next[element];
    put(table, element);
  }
}

/* Puts all into the table by this order, which becomes that of its list. */
static void pass(struct table *table, uint32_t *order, uint32_t count) {
  table->buckets = table->next[0] = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (i == table->buckets)
      grow(table);
    put(table, order[i]);
  }
  uint32_t at = 0;
  for (uint32_t i = table->next[0]; i; i = table->next[i])
    order[at++] = i;
}

/* As many buckets as a table of count elements ever has. */
static size_t buckets_for(uint32_t count) {
  unsigned size = 0;
  while (size + 1 < SIZES && sizes[size] < count)
    size++;
  return sizes[size];
}

static bool hash_all(const struct sampled_function **list, uint64_t *keys,
                     uint32_t *order, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    order[i] = i + 1;
    if (!context_hash(list[i], &keys[i + 1]))
      return false;
  }
  return true;
}

/* A table for what is read of the text, and one for what is merged of all that
 * was read. */
static bool sort(const struct sampled_function **list, uint32_t count) {
  uint64_t *keys = calloc(count + (size_t)1, sizeof *keys);
  uint32_t *order = calloc(count + (size_t)1, sizeof *order);
  struct table table = {.keys = keys,
                        .next = calloc(count + (size_t)1, sizeof *table.next),
                        .before =
                            calloc(buckets_for(count), sizeof *table.before)};
  const struct sampled_function **from =
      calloc(count + (size_t)1, sizeof *from);
  bool done = keys && order && table.next && table.before && from &&
              hash_all(list, keys, order, count);
  if (done) {
    pass(&table, order, count);
    pass(&table, order, count);
    for (uint32_t i = 0; i < count; i++)
      from[i] = list[order[i] - 1];
    for (uint32_t i = 0; i < count; i++)
      list[i] = from[i];
  }
  free(keys);
  free(order);
  free(table.next);
  free(table.before);
  free(from);
  return done;
}

const struct sampled_function **binary_order(const struct sampled *profile) {
  const struct sampled_function **list =
      calloc(profile->function_count + (size_t)1, sizeof *list);
  uint32_t count = 0;
  for (const struct sampled_function *function = profile->functions;
       function && list; function = function->next)
    list[count++] = function;
  if (list && sort(list, count))
    return list;
  free(list);
  return NULL;
}
