/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements the hash table with open addressing, at most two thirds full.
 */
#include "map.h"

#include <stdlib.h>

#include "os.h"

static uint64_t mix_bits(uint64_t value) {
  value ^= value >> 31;
  value *= UINT64_C(0x9E3779B97F4A7C15);
  return value ^ value >> 29;
}

static size_t hash_map_key(const struct map *map, const uint64_t key[3]) {
  return (size_t)mix_bits(mix_bits(mix_bits(key[0]) + key[1]) + key[2]) &
         (map->places - 1);
}

/* Returns the entry of the key, or the free entry for a new key. */
static struct map_entry *find_map_entry(const struct map *map,
                                        const uint64_t key[3]) {
  size_t mask = map->places - 1, at = hash_map_key(map, key);
  for (;; at = (at + 1) & mask) {
    struct map_entry *entry = &map->entries[at];
    if (!entry->used || (entry->key[0] == key[0] && entry->key[1] == key[1] &&
                         entry->key[2] == key[2]))
      return entry;
  }
}

static bool grow_map(struct map *map) {
  struct map grown = {.places = map->places ? map->places * 2 : 64};
  grown.entries =
      os_use_large_pages(calloc(grown.places, sizeof *grown.entries),
                         grown.places * sizeof *grown.entries);
  if (!grown.entries)
    return false;
  for (size_t i = 0; i < map->places; i++)
    if (map->entries[i].used)
      *find_map_entry(&grown, map->entries[i].key) = map->entries[i];
  free(map->entries);
  map->entries = grown.entries;
  map->places = grown.places;
  return true;
}

uint64_t *map_find(const struct map *map, uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t key[3] = {a, b, c};
  if (!map->places)
    return NULL;
  struct map_entry *entry = find_map_entry(map, key);
  return entry->used ? &entry->value : NULL;
}

uint64_t *map_find_or_add(struct map *map, uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t key[3] = {a, b, c};
  struct map_entry *entry = map->places ? find_map_entry(map, key) : NULL;
  if (entry && entry->used)
    return &entry->value;
  if (map->count >= map->limit)
    return NULL;
  if (map->count * 3 >= map->places * 2) {
    if (!grow_map(map))
      return NULL;
    entry = find_map_entry(map, key);
  }
  *entry = (struct map_entry){{a, b, c}, 0, 1};
  map->count++;
  return &entry->value;
}

size_t map_find_or_assign_number(struct map *map, const uint64_t key[3],
                                 bool *is_new) {
  uint64_t *number = map_find_or_add(map, key[0], key[1], key[2]);
  *is_new = number && !*number;
  if (*is_new)
    *number = map->count;
  return number ? (size_t)*number : 0;
}

const struct map_entry *map_next_entry(const struct map *map,
                                       const struct map_entry *after) {
  for (size_t i = after ? (size_t)(after - map->entries) + 1 : 0;
       i < map->places; i++)
    if (map->entries[i].used)
      return &map->entries[i];
  return NULL;
}

void map_free(struct map *map) {
  free(map->entries);
  map->entries = NULL;
  map->count = map->places = 0;
}
