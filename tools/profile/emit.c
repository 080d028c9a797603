/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A buffer in front of a stream, without stdio's cost for each call.
 */
#include "indexed.h"

#include <string.h>

#include "../base/bytes.h"

void emit_new(struct emit *emit, FILE *stream) {
  emit->stream = stream;
  emit->at = emit->used = 0;
}

void emit_flush(struct emit *emit) {
  if (emit->used)
    fwrite(emit->bytes, 1, emit->used, emit->stream);
  emit->used = 0;
}

/* Room for size bytes, which are few. */
static unsigned char *room_for(struct emit *emit, size_t size) {
  if (size > sizeof emit->bytes - emit->used)
    emit_flush(emit);
  unsigned char *to = emit->bytes + emit->used;
  emit->used += size;
  emit->at += size;
  return to;
}

void emit_bytes(struct emit *emit, const void *bytes, size_t size) {
  const unsigned char *from = bytes;
  while (size) {
    size_t part = size < sizeof emit->bytes ? size : sizeof emit->bytes;
    memcpy(room_for(emit, part), from, part);
    from += part;
    size -= part;
  }
}

void emit_number(struct emit *emit, uint64_t value, unsigned size) {
  store_number(room_for(emit, size), value, size, false);
}

void emit_numbers(struct emit *emit, const uint64_t *list, size_t count) {
  enum { PART = 256 };
  while (count) {
    size_t part = count < PART ? count : (size_t)PART;
    unsigned char *to = room_for(emit, part * 8);
    for (size_t i = 0; i < part; i++)
      store64(to + 8 * i, list[i], false);
    list += part;
    count -= part;
  }
}

void emit_pad(struct emit *emit, uint64_t behind) {
  unsigned size = (unsigned)(-behind % 8);
  memset(room_for(emit, size), 0, size);
}

void emit_text(struct emit *emit, const char *text) {
  emit_bytes(emit, text, strlen(text));
}

void emit_decimal(struct emit *emit, uint64_t value) {
  char digits[20];
  unsigned at = sizeof digits;
  do
    digits[--at] = (char)('0' + value % 10);
  while (value /= 10);
  emit_bytes(emit, digits + at, sizeof digits - at);
}

void emit_line(struct emit *emit, const char *text, uint64_t value) {
  emit_text(emit, text);
  emit_decimal(emit, value);
  emit_bytes(emit, "\n", 1);
}
