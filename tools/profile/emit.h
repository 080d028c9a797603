/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes numbers and text to a file in large pieces, and counts the bytes.
 * Errors are ignored: output_commit finds them.
 */
#ifndef BAREPROF_TOOLS_EMIT_H
#define BAREPROF_TOOLS_EMIT_H

#include <stdint.h>
#include <stdio.h>

#include "../base/bytes.h"

struct emit {
  FILE *stream;
  uint64_t at; /* bytes so far, which is where in the file the next one goes */
  size_t used;
  unsigned char bytes[1 << 15];
};

void emit_new(struct emit *emit, FILE *stream);

/* Writes the buffered bytes. Call it at the end. */
void emit_flush(struct emit *emit);

void emit_bytes(struct emit *emit, const void *bytes, size_t size);

/* Writes a number of size bytes, little-endian. */
void emit_number(struct emit *emit, uint64_t value, unsigned size);
static inline void emit64(struct emit *emit, uint64_t value) {
  if (sizeof emit->bytes - emit->used < 8)
    emit_flush(emit);
  store64(emit->bytes + emit->used, value, false);
  emit->used += 8;
  emit->at += 8;
}
void emit_numbers(struct emit *emit, const uint64_t *list, size_t count);

/* Writes zeros behind so many bytes, up to a multiple of 8. */
void emit_pad(struct emit *emit, uint64_t behind);

void emit_text(struct emit *emit, const char *text);
void emit_decimal(struct emit *emit, uint64_t value);

/* Writes text, the number and the end of the line. */
void emit_line(struct emit *emit, const char *text, uint64_t value);

#endif
