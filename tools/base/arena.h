/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Allocates memory that is freed all at once. Initialise with {.limit = N}: the
 * arena never holds more than N bytes, so hostile input cannot exhaust memory.
 *
 * Which allocator to use:
 *   arena      many small things that live as long as their owner
 *   buffer     one array of unknown size (buffer.h)
 *   malloc     one array of known size, which the input's size limits
 * When memory runs out, a function returns out_of_memory (error.h), NULL or
 * false. Only the functions of need.h end the program.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "storage.h"

/* ---- buffer.c ---- */

/* Returns size zeroed bytes, aligned to 8. Returns NULL if memory runs out. */
void *arena_allocate(struct arena *arena, size_t size);

/* Returns a copy of size bytes, with a zero after them. Returns NULL if memory
 * runs out. */
char *arena_copy(struct arena *arena, const void *bytes, size_t size);

/* Empties the arena, but keeps some of its memory for reuse. */
void arena_clear(struct arena *arena);

void arena_free(struct arena *arena);

#endif
