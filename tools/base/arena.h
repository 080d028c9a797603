/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "storage.h"

/* Returns size zero bytes, aligned to 8. NULL: out of memory. */
void *arena_take(struct arena *arena, size_t size);

/* Returns a copy of size bytes, followed by a zero. NULL: out of memory. */
char *arena_copy(struct arena *arena, const void *bytes, size_t size);

/* Gives back all that was taken, and keeps some memory for what comes. */
void arena_clear(struct arena *arena);

void arena_free(struct arena *arena);

#endif
