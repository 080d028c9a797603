/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory that must be there: without it the program says so and ends. What is
 * half written has another name until it is whole, and goes with the next run.
 */
#ifndef BASE_NEED_H
#define BASE_NEED_H

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "error.h"

static inline void *need(void *memory) {
  if (!memory)
    exit(report_memory(NULL));
  return memory;
}

/* Adds an element to a list from malloc, which begins as NULL and 0. */
#define LIST_ADD(list, count, ...)                                \
  do {                                                            \
    if (!list_more(&(list), (count), sizeof *(list)))             \
      need(NULL);                                                 \
    (list)[(count)++] = __VA_ARGS__;                              \
  } while (0)

/* Appends to a buffer, whose limit is far above what the input asks for. */
void need_append(struct buffer *buffer, const void *bytes, size_t size);

/* A copy of a text in an arena. */
static inline char *need_copy(struct arena *arena, const char *text) {
  return need(arena_copy(arena, text, strlen(text)));
}

#endif
