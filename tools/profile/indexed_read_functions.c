/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The hash table, of which only what it holds is of use. At its offset are
 *   u64 number of buckets, number of functions, offset of each bucket, or 0;
 * and in a bucket
 *   u16 number of functions; of each u64 hash, size of name, size of data;
 *   name; data
 * Data is, of each structure of the function,
 *   u64 hash; from 2 on u64 number of counters; u64 each counter; from 11 on
 *   u64 size of bitmap, u64 each byte of it; from 3 on value data
 */
#include <string.h>

#include "indexed_read_inside.h"

static const char damaged[] =
    "its table of functions is damaged; make the file again";

struct walk {
  const struct indexed *indexed;
  struct profile *to; /* or NULL: look only */
  uint64_t weight;
  const struct read_events *events;
  size_t left; /* bytes that functions may still take: all, once */
  struct buffer counters, bitmap;
  struct sites sites;
};

/* The next number of data. */
static bool take(struct bytes *data, uint64_t *number) {
  if (data->size < 8)
    return false;
  *number = load64(data->data, false);
  data->data += 8;
  data->size -= 8;
  return true;
}

static const char *take_counters(struct walk *walk, struct bytes *data,
                                 struct addition *to) {
  uint64_t count = data->size / 8;
  if (walk->indexed->version > 1 && !take(data, &count))
    return damaged;
  if (count > data->size / 8 || count > UINT32_MAX)
    return damaged;
  to->counter_count = (uint32_t)count;
  if (walk->to) {
    walk->counters.size = 0;
    const char *error = buffer_reserve(&walk->counters, (size_t)count * 8 + 1);
    if (error)
      return error;
    uint64_t *counters = (uint64_t *)(void *)walk->counters.data;
    for (size_t i = 0; i < count; i++)
      counters[i] = load64(data->data + 8 * i, false);
    to->counters = counters;
  }
  data->data += count * 8;
  data->size -= (size_t)count * 8;
  return NULL;
}

static const char *take_bitmap(struct walk *walk, struct bytes *data,
                               struct addition *to) {
  uint64_t count;
  if (walk->indexed->version < 11)
    return NULL;
  if (!take(data, &count) || count > data->size / 8 || count > UINT32_MAX)
    return damaged;
  to->bitmap_size = (uint32_t)count;
  walk->bitmap.size = 0;
  const char *error = buffer_reserve(&walk->bitmap, (size_t)count + 1);
  for (size_t i = 0; i < count && !error; i++)
    walk->bitmap.data[i] = data->data[8 * i];
  to->bitmap = walk->bitmap.data;
  data->data += count * 8;
  data->size -= (size_t)count * 8;
  return error;
}

static const char *take_sites(struct walk *walk, struct bytes *data,
                              struct addition *to) {
  if (walk->indexed->version < 3)
    return NULL;
  const unsigned char *end = data->data + data->size;
  const char *error = sites_read(&walk->sites, &data->data, end, false);
  data->size = (size_t)(end - data->data);
  for (unsigned kind = 0; kind < VALUE_KINDS && !error; kind++) {
    to->sites[kind] = sites_list(&walk->sites, kind);
    to->site_count[kind] = walk->sites.count[kind];
  }
  return error;
}

static const char *add(struct walk *walk, const struct addition *addition) {
  struct counts *counts = NULL;
  if (!walk->to)
    return NULL;
  enum addition_result result = profile_add(walk->to, addition, &counts);
  if (result == REFUSED_MEMORY)
    return "out of memory; close other programs";
  read_event(walk->events, result, counts, addition);
  return NULL;
}

static const char *read_function(struct walk *walk, struct bytes name,
                                 struct bytes data) {
  const char *error = NULL;
  if (name.size == 0 || memchr(name.data, 0, name.size))
    return damaged;
  while (data.size && !error) {
    struct addition addition = {.name = (const char *)name.data,
                                .name_size = name.size,
                                .weight = walk->weight,
                                .marks = true,
                                .hash_cut = walk->indexed->version > 12};
    if (!take(&data, &addition.hash))
      return damaged;
    error = take_counters(walk, &data, &addition);
    if (!error)
      error = take_bitmap(walk, &data, &addition);
    if (!error)
      error = take_sites(walk, &data, &addition);
    if (!error)
      error = add(walk, &addition);
  }
  return error;
}

/* So many bytes at *at, before the table, that nothing else has been read
 * from: buckets in common would take all time. */
static const unsigned char *take_bytes(struct walk *walk, size_t *at,
                                       uint64_t size) {
  if (size > walk->left || size > walk->indexed->table - *at)
    return NULL;
  const unsigned char *bytes = walk->indexed->file.data + *at;
  walk->left -= (size_t)size;
  *at += (size_t)size;
  return bytes;
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
    uint64_t name_size = load64(bytes + 8, false);
    uint64_t data_size = load64(bytes + 16, false);
    struct bytes name = {take_bytes(walk, &at, name_size), (size_t)name_size};
    if (!name.data)
      return damaged;
    struct bytes data = {take_bytes(walk, &at, data_size), (size_t)data_size};
    if (!data.data)
      return damaged;
    error = read_function(walk, name, data);
  }
  return error;
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
  for (uint64_t i = 0; i < buckets && !error; i++, at += 8) {
    uint64_t bucket = indexed_load(indexed, at);
    if (bucket > indexed->table)
      return damaged;
    if (bucket)
      error = read_bucket(walk, (size_t)bucket, &functions);
  }
  return error || functions == expected ? error : damaged;
}

const char *indexed_functions(const struct indexed *indexed, struct profile *to,
                              uint64_t weight,
                              const struct read_events *events) {
  struct walk walk = {.indexed = indexed,
                      .to = to,
                      .weight = weight,
                      .events = events,
                      .counters = {.limit = indexed->file.size + 1},
                      .bitmap = {.limit = indexed->file.size + 1}};
  sites_new(&walk.sites);
  const char *error = read_table(&walk);
  sites_free(&walk.sites);
  buffer_free(&walk.counters);
  buffer_free(&walk.bitmap);
  return error;
}
