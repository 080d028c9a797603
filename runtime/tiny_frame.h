/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the tiny senders share. Each file that includes this is whole: it can be
 * copied by hand, and the compiler sees all of it. docs/wire-format.md
 * describes the frame: a compact dump whose LEAN frame has all counts.
 *
 * A file defines TINY_SHIFT, log2 of the bytes of a counter, and how each byte
 * of a frame is encoded: encode_byte. Functions return their first argument: a
 * caller has no need to keep it.
 */
#ifndef BAREPROF_RUNTIME_TINY_FRAME_H
#define BAREPROF_RUNTIME_TINY_FRAME_H

#include "sink.h"
#include "tiny_bounds.h"

#define TINY_NOINLINE __attribute__((noinline))

/* The linker script aligns counters and bitmap to 8. */
#define TINY_BITMAP \
  (TINY_SHIFT == 3 ? __stop___llvm_prf_cnts : __start___llvm_prf_bits)

/* The address is a flag of the frame: objects count with 32 bits. */
extern __attribute__((weak))
const uint8_t tiny_counters_32 __asm__("bareprof_counters_32");

/* wire.h and image.h of the full sender have the same numbers. */
enum {
  TINY_FORMAT = 3,
  TINY_LEAN = 5 | 1 << 3 /* a format follows */ | TINY_BIG << 5,
  TINY_ORDINAL_AT = 24
};

struct tiny {
  bareprof_tiny_put *put;
  void *context;
  int error;
  uint32_t crc;
  uint32_t bits; /* of a byte so far, the first one in bit 7, */
  unsigned room; /* which has this room, 1 to 8 bits */
  unsigned zero; /* whether the last number was 0 */
  unsigned size; /* of the last one that was not */
  uint32_t encoded, held, column; /* of an encoding */
};

static TINY_NOINLINE struct tiny *put_raw(struct tiny *tiny, unsigned byte) {
  if (!tiny->error)
    tiny->error =
        bareprof_sink_error(tiny->put(tiny->context, (unsigned char)byte));
  TINY_KEEP(tiny);
  return tiny;
}

static inline struct tiny *encode_byte(struct tiny *tiny, uint32_t byte);

/* By two bits: half the steps of one, for the 16 bytes of a table. */
static inline uint32_t crc_step(uint32_t crc) {
  static const uint32_t of_bits[4] = {0, 0x76DC4190, 0xEDB88320, 0x9B64C2B0};
  int steps = 4;
  do
    crc = crc >> 2 ^ of_bits[crc & 3];
  while (--steps);
  return crc;
}

/* All that a frame has, from the highest bit on: the lower count bits, up to
 * 32, of value; above them may be anything. If count is 0, value is 0 or 1. */
static TINY_NOINLINE struct tiny *put_bits(struct tiny *tiny, uint32_t value,
                                           unsigned count) {
  value <<= -count & 31;
  for (;;) {
    unsigned room = tiny->room;
    uint32_t byte = tiny->bits | value >> (32 - room);
    tiny->bits = byte;
    if (count < room) {
      tiny->room = room - count;
      TINY_KEEP(tiny);
      return tiny;
    }
    value <<= room;
    count -= room;
    tiny->crc = crc_step(tiny->crc ^ byte);
    tiny = encode_byte(tiny, byte);
    tiny->bits = 0;
    tiny->room = 8;
  }
}

/* The lowest byte first. Not by gcc's builtin, which may be a call. */
static TINY_NOINLINE struct tiny *put_word(struct tiny *tiny, uint32_t word) {
  uint32_t outer = word << 24 | word >> 24;
  uint32_t inner = (word & 0xFF00) << 8 | (word >> 8 & 0xFF00);
  return put_bits(tiny, outer | inner, 32);
}

static TINY_NOINLINE struct tiny *put_varint(struct tiny *tiny,
                                             uint32_t value) {
  uint32_t rest;
  do {
    rest = value >> 7;
    tiny = put_bits(tiny, rest ? value | 128 : value, 8);
    value = rest;
  } while (rest);
  return tiny;
}

/* The frame up to its counts. width: log2 of a counter's bytes, as the frame
 * says it. A dump is one frame, so its number need not tell states apart: the
 * ordinal will do. */
static inline struct tiny *tiny_begin(struct tiny *tiny, unsigned width) {
  volatile tiny_word *half = tiny_guard(1);
  const tiny_word *id =
      (const tiny_word *)(uintptr_t)__bareprof_build_id_start + TINY_ID_AT;
  uint32_t high = *half + (1u << TINY_ORDINAL_AT);
  *half = high;
  high >>= TINY_ORDINAL_AT;
  TINY_KEEP(high);
  high <<= 8;
  tiny->crc = ~UINT32_C(0);
  tiny->bits = 0;
  tiny->room = 8;
  tiny = put_word(tiny,
                  (TINY_LEAN + (uint32_t)(uintptr_t)&tiny_counters_32) | high);
  tiny = put_word(tiny, TINY_FORMAT | width << 6 | high);
  tiny = put_word(tiny, tiny_low_first(id[0]));
  tiny = put_word(tiny, tiny_low_first(id[1]));
  tiny = put_bits(tiny, 0, 16); /* origin, tag */
  tiny = put_varint(
      tiny, (uint32_t)(__stop___llvm_prf_cnts - __start___llvm_prf_cnts) >>
                TINY_SHIFT);
  return put_varint(tiny, (uint32_t)(__stop___llvm_prf_bits - TINY_BITMAP));
}

#endif
