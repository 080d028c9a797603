/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A growing array of bytes. Begin with {.limit = N}: the buffer refuses to grow
 * beyond N bytes. The limit keeps hostile input from exhausting memory. The
 * owner frees it with buffer_free. data may move whenever it grows.
 */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <string.h>

#include "storage.h"

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

/* Empties the buffer and gives its memory back. The limit stays. */
void buffer_free(struct buffer *buffer);

#endif
