/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Growth by half of what is there, so that n bytes cost O(n) copies and at
 * most half as much again in memory.
 */
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "os.h"

/* Here, because tests replace what error.c has. */
const char out_of_memory[] = "not enough memory; free some";

const char *buffer_reserve(struct buffer *buffer, size_t size) {
  if (size <= buffer->capacity - buffer->size)
    return NULL;
  if (buffer->size > buffer->limit || size > buffer->limit - buffer->size)
    return "more data than this tool takes; is it the right file?";
  size_t wanted = buffer->size + size;
  size_t grown = buffer->capacity + buffer->capacity / 2 + 256;
  if (grown > buffer->limit)
    grown = buffer->limit;
  if (grown < wanted)
    grown = wanted;
  unsigned char *data = realloc(buffer->data, grown);
  if (!data)
    return out_of_memory;
  buffer->data = os_large_pages(data, grown);
  buffer->capacity = grown;
  return NULL;
}

const char *buffer_append(struct buffer *buffer, const void *bytes,
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

bool list_more(void *list, size_t count, size_t size) {
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
