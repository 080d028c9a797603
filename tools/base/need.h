/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Allocates memory, and never fails: if memory runs out, the program reports
 * this and exits. No partial output is left then: an incomplete file has a
 * temporary name, and the next run removes it.
 */
#ifndef BASE_NEED_H
#define BASE_NEED_H

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "error.h"

struct buffer;

/* Returns its argument if that is not NULL; otherwise reports that memory ran
 * out, and exits. */
static inline void *need_memory(void *memory) {
  if (!memory)
    exit(report_out_of_memory(NULL));
  return memory;
}

/* Adds an element to a list, whose memory comes from malloc. An empty list is
 * NULL with count 0. */
#define LIST_ADD(list, count, ...)                         \
  do {                                                     \
    if (!list_make_room(&(list), (count), sizeof *(list))) \
      need_memory(NULL);                                   \
    (list)[(count)++] = __VA_ARGS__;                       \
  } while (0)

/* ---- buffer.c ---- */

/* Appends bytes to a buffer. Exits on an error; the limit of the buffer must be
 * higher than any input needs. */
void need_append(struct buffer *buffer, const void *bytes, size_t size);

/* Returns a text that is formatted like printf's; the arena owns it. */
char *need_formatted_text(struct arena *arena, const char *format, ...)
    PRINTS_AS(2, 3);

/* Returns a copy of a text; the arena owns it. */
static inline char *need_copy(struct arena *arena, const char *text) {
  return need_memory(arena_copy(arena, text, strlen(text)));
}

#endif
