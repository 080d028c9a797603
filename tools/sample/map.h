/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From three numbers to one: a hash table that only grows. Begin with
 * {.limit = N}: it never has more than N entries.
 */
#ifndef SAMPLE_MAP_H
#define SAMPLE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct sample_entry {
  uint64_t key[3];
  uint64_t value;
  uint32_t used;
};

struct sample_map {
  struct sample_entry *entries; /* NULL until the first */
  size_t count, places, limit;
};

/* The value of a key, which is 0 the first time; valid until the next call.
 * NULL: no memory, or more than limit. */
uint64_t *sample_map_at(struct sample_map *map, uint64_t a, uint64_t b,
                        uint64_t c);

/* The same of one that is there, or NULL. */
uint64_t *sample_map_find(const struct sample_map *map, uint64_t a, uint64_t b,
                          uint64_t c);

void sample_map_free(struct sample_map *map);

#endif
