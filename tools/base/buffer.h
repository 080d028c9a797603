/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A growing array of bytes. Begin with {.limit = N}: the buffer refuses to grow
 * beyond N bytes. The limit keeps hostile input from exhausting memory. The
 * owner frees it with buffer_free. data may move whenever it grows.
 */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buffer {
  unsigned char *data; /* NULL until the first byte */
  size_t size;         /* bytes in use */
  size_t capacity;     /* bytes allocated */
  size_t limit;        /* the largest allowed size */
};

/* Makes room for size more bytes behind the bytes in use. The caller writes the
 * bytes and adds to buffer->size. Returns NULL or the error; after an error the
 * buffer is unchanged. */
const char *buffer_reserve(struct buffer *buffer, size_t size);

/* Adds size bytes. Returns NULL or the error; after an error the buffer is
 * unchanged. */
const char *buffer_append(struct buffer *buffer, const void *bytes,
                          size_t size);

/* Both again, inline: for millions of elements. */
static inline const char *buffer_room(struct buffer *buffer, size_t size) {
  return size > buffer->capacity - buffer->size ? buffer_reserve(buffer, size)
                                                : NULL;
}

static inline const char *buffer_add(struct buffer *buffer, const void *bytes,
                                     size_t size) {
  const char *error = buffer_room(buffer, size);
  if (error)
    return error;
  if (size) /* else there may be no memory at all */
    memcpy(buffer->data + buffer->size, bytes, size);
  buffer->size += size;
  return NULL;
}

/* Makes room for one more element in the list from malloc that the pointer at
 * `list` shows, and that always grows so: it doubles at powers of two, so the
 * count says the room. false: out of memory; the list is unchanged. */
bool list_more(void *list, size_t count, size_t size);

/* Empties the buffer and gives its memory back. The limit stays. */
void buffer_free(struct buffer *buffer);

/* ---- arenas ----
 *
 * Memory that is given back as a whole. Begin with {.limit = N}: the arena
 * never takes more than N bytes. The limit keeps hostile input from exhausting
 * memory.
 *
 * Where memory comes from:
 *   arena      many small things that live as long as their owner
 *   buffer     one array of unknown size (buffer.h)
 *   malloc     one array of known size, bounded by the input's size
 * When memory runs out, a function returns out_of_memory (error.h), NULL or
 * false. No function ends the program.
 */

struct arena_block;

struct arena {
  struct arena_block *blocks; /* The first one is in use. */
  size_t used, room;          /* of the block in use */
  size_t total;               /* of all blocks */
  size_t limit;
};

/* Returns size zero bytes, aligned to 8. NULL: out of memory. */
void *arena_take(struct arena *arena, size_t size);

/* Returns a copy of size bytes, followed by a zero. NULL: out of memory. */
char *arena_copy(struct arena *arena, const void *bytes, size_t size);

/* Gives back all that was taken, and keeps some memory for what comes. */
void arena_clear(struct arena *arena);

void arena_free(struct arena *arena);

/* ---- map.c ----
 *
 * A hash table from up to three numbers to one. Entries are never removed.
 * Begin with {.limit = N}: the map never has more than N entries. The limit
 * keeps hostile input from exhausting memory.
 *
 *     uint64_t *count = map_at(&map, from, to, 0);
 *     if (!count)
 *       return out_of_memory;
 *     ++*count;
 *
 * If the key is text, use the text's MD5 (md5_low64). With a weaker hash, a
 * crafted file could put all entries in one bucket.
 */

struct map_entry {
  uint64_t key[3];
  uint64_t value;
  uint32_t used;
};

struct map {
  struct map_entry *entries; /* NULL until the first */
  size_t count, places, limit;
};

/* Returns the value of a key. A new key gets the value 0, and map->count grows
 * by one. The pointer is valid until the next call. NULL: no memory, or the
 * limit is reached. */
uint64_t *map_at(struct map *map, uint64_t a, uint64_t b, uint64_t c);

/* Returns the value of an existing key, or NULL. */
uint64_t *map_find(const struct map *map, uint64_t a, uint64_t b, uint64_t c);

/* Prefetches the place of a key that map_at will be called with soon. */
void map_ahead(const struct map *map, uint64_t a, uint64_t b, uint64_t c);

/* Returns the number of a key: 1 for the first key, and so on. *is_new: the key
 * is new. 0: no memory, or the limit is reached. Use no other function that
 * adds keys to this map. */
size_t map_number(struct map *map, const uint64_t key[3], bool *is_new);

/* Goes through all entries in no order. Returns the first entry if after is
 * NULL, otherwise the entry behind after. NULL: no entry is left. A call of
 * map_at invalidates the entry. */
const struct map_entry *map_next(const struct map *map,
                                 const struct map_entry *after);

/* Frees the memory. The map is empty then; the limit stays. */
void map_free(struct map *map);

#endif
