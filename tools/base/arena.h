/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory that is given back as a whole. Begin with {.limit = N}: it never
 * takes more than N bytes, which keeps hostile input from taking all memory.
 *
 * Where memory comes from:
 *   arena      many small things that live as long as their owner
 *   buffer     one array whose size nobody knows before (buffer.h)
 *   malloc     one array whose size is known, with a bound by the input's size
 * Who gets none returns out_of_memory (error.h), or NULL or false; nobody ends
 * the program.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
  struct arena_block *blocks; /* the one in use first */
  size_t used, room;          /* of that one */
  size_t total;               /* of all */
  size_t limit;
};

/* size bytes, zeros, at a multiple of 8; NULL: out of memory. */
void *arena_take(struct arena *arena, size_t size);

/* A copy of size bytes, with a zero behind; NULL: out of memory. */
char *arena_copy(struct arena *arena, const void *bytes, size_t size);

void arena_free(struct arena *arena);

#endif
