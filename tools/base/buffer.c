/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements buffers, lists and arenas. A buffer grows by half its size, so n
 * bytes cost O(n) copies and waste at most n/2 bytes.
 */
#include "buffer.h"
#include "need.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "os.h"

/* The text is here instead of in error.c, because tests replace error.c. */
const char out_of_memory[] =
    "not enough memory; close other programs, or pass fewer or smaller files";

const char *buffer_reserve(struct buffer *buffer, size_t size) {
  if (size <= buffer->capacity - buffer->size)
    return NULL;
  if (buffer->size > buffer->limit || size > buffer->limit - buffer->size)
    return "the data is larger than bareprof accepts; check that this is the "
           "right file";
  size_t wanted = buffer->size + size;
  size_t grown = buffer->capacity + buffer->capacity / 2 + 256;
  if (grown > buffer->limit)
    grown = buffer->limit;
  if (grown < wanted)
    grown = wanted;
  unsigned char *data = realloc(buffer->data, grown);
  if (!data)
    return out_of_memory;
  buffer->data = os_use_large_pages(data, grown);
  buffer->capacity = grown;
  return NULL;
}

const char *buffer_append_bytes(struct buffer *buffer, const void *bytes,
                                size_t size) {
  if (size == 0)
    return NULL;
  const char *error = buffer_reserve(buffer, size);
  if (error)
    return error;
  memcpy(buffer->data + buffer->size, bytes, size);
  buffer->size += size;
  return NULL;
}

bool list_make_room(void *list, size_t count, size_t size) {
  void *now;
  memcpy(&now, list, sizeof now);
  if (count & (count - 1))
    return true;
  now = realloc(now, (count ? 2 * count : 1) * size);
  if (now)
    memcpy(list, &now, sizeof now);
  return now != NULL;
}

void buffer_free(struct buffer *buffer) {
  free(buffer->data);
  buffer->data = NULL;
  buffer->size = buffer->capacity = 0;
}

void buffers_limit_or_free(struct buffer *const *list, size_t count,
                           size_t limit) {
  for (size_t i = 0; i < count; i++)
    if (limit)
      list[i]->limit = limit;
    else
      buffer_free(list[i]);
}

/* ---- arena: blocks of growing size, which are cut into pieces ---- */

/* Once an arena holds more than LARGE_PAGES_MOST bytes, its blocks get small
 * pages: see os_use_large_pages. */
enum {
  FIRST_BLOCK = 1 << 16,
  LARGEST_BLOCK = 1 << 24,
  LARGE_PAGES_MOST = 1 << 25
};

struct arena_block {
  struct arena_block *next;
  size_t size; /* the number of bytes after this header, which aligns them */
};

/* Returns the size of the next block. The block is as large as all earlier
 * blocks together, within limits. */
static size_t next_block_size(const struct arena *arena, size_t wanted) {
  size_t size = arena->total;
  if (size < FIRST_BLOCK)
    size = FIRST_BLOCK;
  if (size > LARGEST_BLOCK)
    size = LARGEST_BLOCK;
  return size < wanted ? wanted : size;
}

static int add_arena_block(struct arena *arena, size_t wanted) {
  size_t size = next_block_size(arena, wanted);
  if (size > arena->limit - arena->total)
    size = wanted;
  if (size > arena->limit - arena->total)
    return 0;
  struct arena_block *block = calloc(1, sizeof *block + size);
  if (!block)
    return 0;
  if (arena->total < LARGE_PAGES_MOST)
    os_use_large_pages(block, sizeof *block + size);
  block->next = arena->blocks;
  block->size = size;
  arena->blocks = block;
  arena->used = 0;
  arena->room = size;
  arena->total += size;
  return 1;
}

void *arena_allocate(struct arena *arena, size_t size) {
  if (size > SIZE_MAX - 7)
    return NULL;
  size = (size + 7) / 8 * 8;
  if (size > arena->room - arena->used && !add_arena_block(arena, size))
    return NULL;
  void *bytes = (char *)(arena->blocks + 1) + arena->used;
  arena->used += size;
  return bytes;
}

char *arena_copy(struct arena *arena, const void *bytes, size_t size) {
  char *copy = size < SIZE_MAX ? arena_allocate(arena, size + 1) : NULL;
  if (copy && size)
    memcpy(copy, bytes, size);
  return copy;
}

/* Keeps only the current block, which is as large as all earlier blocks
 * together. */
void arena_clear(struct arena *arena) {
  struct arena_block *kept = arena->blocks;
  if (!kept)
    return;
  for (struct arena_block *block = kept->next; block; block = kept->next) {
    kept->next = block->next;
    free(block);
  }
  memset(kept + 1, 0, arena->used);
  arena->used = 0;
  arena->total = arena->room;
}

void arena_free(struct arena *arena) {
  while (arena->blocks) {
    struct arena_block *block = arena->blocks;
    arena->blocks = block->next;
    free(block);
  }
  *arena = (struct arena){.limit = arena->limit};
}

char *need_formatted_text(struct arena *arena, const char *format, ...) {
  va_list values, again;
  va_start(values, format);
  va_copy(again, values);
  size_t room = (size_t)vsnprintf(NULL, 0, format, values) + 1;
  va_end(values);
  char *text = need_memory(arena_allocate(arena, room));
  vsnprintf(text, room, format, again);
  va_end(again);
  return text;
}

void need_append(struct buffer *buffer, const void *bytes, size_t size) {
  const char *error = buffer_append(buffer, bytes, size);
  if (error)
    exit(report(NULL, "%s", error));
}
