/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A map is a hash table: a key of up to three numbers has one number as its
 * value. Entries are never removed. Initialise with {.limit = N}: the map holds
 * at most N entries, so hostile input cannot exhaust memory.
 *
 *     uint64_t *count = map_find_or_add(&map, from, to, 0);
 *     if (!count)
 *       return out_of_memory;
 *     ++*count;
 *
 * If the key is text, use the text's MD5 (md5_low64). With a weaker hash, a
 * crafted file could put all entries into one bucket.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "storage.h"

/* Returns the value of a key. A new key gets the value 0, and map->count grows
 * by one. The pointer is valid until the next call. Returns NULL if memory runs
 * out or the limit is reached. */
uint64_t *map_find_or_add(struct map *map, uint64_t a, uint64_t b, uint64_t c);

/* Returns the value of an existing key, or NULL. */
uint64_t *map_find(const struct map *map, uint64_t a, uint64_t b, uint64_t c);

/* Numbers the keys: returns 1 for the first key, 2 for the second, and so on.
 * Sets *is_new if the key is new. Returns 0 if memory runs out or the limit is
 * reached. Do not add keys to this map with another function. */
size_t map_find_or_assign_number(struct map *map, const uint64_t key[3],
                                 bool *is_new);

/* Iterates over all entries in no particular order. Returns the first entry if
 * `after` is NULL, otherwise the entry after `after`. Returns NULL at the end.
 * A call of map_find_or_add invalidates the entry. */
const struct map_entry *map_next_entry(const struct map *map,
                                       const struct map_entry *after);

/* Frees the memory and empties the map. The limit stays. */
void map_free(struct map *map);

#endif
