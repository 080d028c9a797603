/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the structs of buffers, arenas and maps, for headers that embed them.
 * The functions for these structs are in buffer.h, arena.h and map.h, so that
 * few files are compiled again when those change.
 */
#ifndef BASE_STORAGE_H
#define BASE_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
  unsigned char *data; /* the bytes; NULL until the first byte */
  size_t size;         /* the number of bytes in use */
  size_t capacity;     /* the number of bytes allocated */
  size_t limit;        /* the largest allowed size */
};

struct arena_block;

struct arena {
  struct arena_block *blocks; /* the first block of the list is the current
                                 block */
  size_t used, room;          /* the used bytes and the size of the current
                                 block */
  size_t total, limit;        /* the bytes of all blocks, and at most */
};

struct map_entry {
  uint64_t key[3];
  uint64_t value;
  uint32_t used;
};

struct map {
  struct map_entry *entries; /* the entries; NULL until the first one */
  size_t count, places, limit; /* entries in use; allocated entries, a power
                                  of 2; the largest count */
};

/* ---- buffer.c ---- */

/* Makes space for one more element in a list whose memory comes from malloc.
 * The parameter `list` points to the pointer to the list. The list must only
 * grow through this function: it doubles the capacity at powers of two, so the
 * count determines the capacity. Returns false if memory runs out; then the
 * list is unchanged. */
bool list_make_room(void *list, size_t count, size_t size);

#endif
