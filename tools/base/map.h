/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A hash table from up to three numbers to one; it only grows. Begin with
 * {.limit = N}: it never has more than N entries, which keeps hostile input
 * from taking all memory.
 *
 *     uint64_t *count = map_at(&map, from, to, 0);
 *     if (!count)
 *       return "not enough memory; free some";
 *     ++*count;
 *
 * What has text as its key takes the text's MD5 (md5_low64): a file can be
 * made to fill one bucket of a weaker hash.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
  uint64_t key[3];
  uint64_t value;
  uint32_t used;
};

struct map {
  struct map_entry *entries; /* NULL until the first */
  size_t count, places, limit;
};

/* The value of a key, 0 if the key is new, in which case map->count became
 * one more. Valid until the next call. NULL: no memory, or limit is
 * reached. */
uint64_t *map_at(struct map *map, uint64_t a, uint64_t b, uint64_t c);

/* The value of a key that is there, or NULL. */
uint64_t *map_find(const struct map *map, uint64_t a, uint64_t b, uint64_t c);

/* The number of a key: 1 for the first that came, and so on; *is_new: it came
 * now. 0: no memory, or limit is reached. For a map that is used in no other
 * way. */
size_t map_number(struct map *map, const uint64_t key[3], bool *is_new);

/* Goes through all entries, in no order: the first if after is NULL, else the
 * one behind it; NULL: there is none left. Calls of map_at invalidate it. */
const struct map_entry *map_next(const struct map *map,
                                 const struct map_entry *after);

/* Gives the memory back. The map is empty then; the limit stays. */
void map_free(struct map *map);

#endif
