/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Blocks of growing size, from which pieces are cut.
 */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "os.h"

/* Blocks beyond LARGE_PAGES_MOST in total have small pages: see
 * os_large_pages. */
enum {
  FIRST_BLOCK = 1 << 16,
  LARGEST_BLOCK = 1 << 24,
  LARGE_PAGES_MOST = 1 << 25
};

struct arena_block {
  struct arena_block *next;
  size_t size; /* what follows, for alignment too */
};

/* The next block is as large as all before, within reason. */
static size_t next_size(const struct arena *arena, size_t wanted) {
  size_t size = arena->total;
  if (size < FIRST_BLOCK)
    size = FIRST_BLOCK;
  if (size > LARGEST_BLOCK)
    size = LARGEST_BLOCK;
  return size < wanted ? wanted : size;
}

static int add_block(struct arena *arena, size_t wanted) {
  size_t size = next_size(arena, wanted);
  if (size > arena->limit - arena->total)
    size = wanted;
  if (size > arena->limit - arena->total)
    return 0;
  struct arena_block *block = calloc(1, sizeof *block + size);
  if (!block)
    return 0;
  if (arena->total < LARGE_PAGES_MOST)
    os_large_pages(block, sizeof *block + size);
  block->next = arena->blocks;
  block->size = size;
  arena->blocks = block;
  arena->used = 0;
  arena->room = size;
  arena->total += size;
  return 1;
}

void *arena_take(struct arena *arena, size_t size) {
  if (size > SIZE_MAX - 7)
    return NULL;
  size = (size + 7) / 8 * 8;
  if (size > arena->room - arena->used && !add_block(arena, size))
    return NULL;
  void *bytes = (char *)(arena->blocks + 1) + arena->used;
  arena->used += size;
  return bytes;
}

char *arena_copy(struct arena *arena, const void *bytes, size_t size) {
  char *copy = size < SIZE_MAX ? arena_take(arena, size + 1) : NULL;
  if (copy && size)
    memcpy(copy, bytes, size);
  return copy;
}

/* The block in use is as large as all before. */
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
