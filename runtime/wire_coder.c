/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The wire's encoder: a prefix code. Counters of real firmware are mostly 0, or
 * equal to one of the last few. The others are about as large as those before
 * them. docs/wire-format.md describes the format.
 *
 * No 64-bit shift by a variable and no division here: on small cores both
 * are functions of the compiler's library.
 */
#include "wire.h"

/* Bits on their way into a frame, below a 1. */
static BAREPROF_NOINLINE struct bareprof_stream *
put_bits(struct bareprof_stream *stream, uint32_t value, unsigned count) {
  while (count--) {
    uint32_t bits = stream->coded << 1 | (value >> count & 1);
    if (bits & 256) {
      stream = bareprof_frame_byte(stream, bits);
      bits = 1;
    }
    stream->coded = bits;
  }
  return stream;
}

/* A number begins with its place, in unary: as many ones, then a 0. A new
 * number continues with ones and a 0 again, and two bits. put_bits uses the
 * lower bits of code, so the bits above may be ones too. */
struct bareprof_stream *bareprof_coder_put(struct bareprof_stream *stream,
                                           uint64_t value) {
  struct bareprof_coder *coder = &stream->coder;
  uint32_t high = (uint32_t)(value >> 32), low = (uint32_t)value;
  unsigned kind = bareprof_coder_kind(coder, value);
  unsigned count = bareprof_coder_place(coder->kind, kind) + 1;
  coder->kind = kind > BAREPROF_CODER_AGAIN ? BAREPROF_CODER_AGAIN : kind;
  if (kind != BAREPROF_CODER_NEW)
    return put_bits(stream, ~1u, count);
  unsigned size = 0;
  for (uint32_t rest = low; rest >>= 1; size++)
    BAREPROF_KEEP(rest); /* no call that counts zeros */
  if (high)
    size = BAREPROF_CODER_LARGE;
  uint32_t change = coder->size ^ size;
  unsigned ones = change >> 2;
  coder->size = size;
  stream =
      put_bits(stream, ~(2u << ones | 1) << 2 | (change & 3), count + ones + 3);
  if (high)
    stream = put_bits(stream, high, 32);
  return put_bits(stream, low, coder->size);
}

struct bareprof_stream *bareprof_data_begin(struct bareprof_stream *stream,
                                            unsigned head, size_t place) {
  stream = bareprof_frame_begin(stream, head);
  return bareprof_frame_varint(stream, place);
}

struct bareprof_stream *bareprof_data_end(struct bareprof_stream *stream) {
  stream = put_bits(stream, 0x80, 8);
  return bareprof_frame_end(stream);
}
