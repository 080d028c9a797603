/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A buffer is an array of bytes that can grow. Initialise with {.limit = N}:
 * the buffer does not grow beyond N bytes, so hostile input cannot exhaust
 * memory. The owner frees it with buffer_free. data may move whenever the
 * buffer grows.
 */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <string.h>

#include "bytes.h"
#include "storage.h"

/* Returns the bytes in use. */
static inline struct bytes buffer_bytes(const struct buffer *buffer) {
  return (struct bytes){buffer->data, buffer->size};
}

/* Makes space for size more bytes after the bytes in use. The caller writes
 * them and adds to buffer->size. Returns NULL or the error; after an error the
 * buffer is unchanged. */
const char *buffer_reserve(struct buffer *buffer, size_t size);

/* Appends size bytes. Returns NULL or the error; after an error the buffer is
 * unchanged. */
const char *buffer_append_bytes(struct buffer *buffer, const void *bytes,
                                size_t size);

/* Inline versions of buffer_reserve and buffer_append_bytes, for millions of
 * elements. */
static inline const char *buffer_make_room(struct buffer *buffer, size_t size) {
  return size > buffer->capacity - buffer->size ? buffer_reserve(buffer, size)
                                                : NULL;
}

static inline const char *buffer_append(struct buffer *buffer,
                                        const void *bytes, size_t size) {
  const char *error = buffer_make_room(buffer, size);
  if (error)
    return error;
  if (size) /* data may be NULL if size is 0 */
    memcpy(buffer->data + buffer->size, bytes, size);
  buffer->size += size;
  return NULL;
}

/* Empties the buffer and frees its memory. The limit stays. */
void buffer_free(struct buffer *buffer);

/* Sets the limit of each buffer in a list. A limit of 0 frees the buffers. */
void buffers_limit_or_free(struct buffer *const *list, size_t count,
                           size_t limit);

#endif
