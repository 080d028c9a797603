/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the tiny senders share. Each file that includes this is whole: it can be
 * copied by hand, and the compiler sees all of it. docs/wire-format.md
 * describes the frame: a compact dump whose LEAN frame has all counts.
 *
 * A file defines TINY_SHIFT, log2 of the bytes of a counter, and how a frame is
 * encoded: each bit by encode_bit, or each byte by encode_byte.
 */
#ifndef BAREPROF_RUNTIME_TINY_FRAME_H
#define BAREPROF_RUNTIME_TINY_FRAME_H

#include <stdbool.h>

#include "tiny_bounds.h"

#define TINY_NOINLINE __attribute__((noinline))

/* Keeps a pointer in a register, where the compiler would compute it again. */
#define TINY_POINTER(pointer) __asm__("" : "+r"(pointer))

/* The address is a flag of the frame: objects count with 32 bits. */
extern __attribute__((weak)) const uint8_t
    tiny_counters_32 __asm__("bareprof_counters_32");

/* wire.h and image.h of the full sender have the same numbers. */
enum {
  TINY_FORMAT = 3,
  TINY_LEAN = 5 | 1 << 3 /* a format follows */ | TINY_BIG << 5,
  TINY_ID_AT = 16,
  TINY_ID_BYTES = 8,
  TINY_ORDINAL_AT = 24
};

struct tiny {
  bareprof_tiny_put *put;
  void *context;
  int error;
  uint32_t crc;
  uint32_t bits;            /* of a byte so far, below a 1 */
  unsigned zero, size;      /* of the last number */
  uint32_t encoded, column; /* of an encoding */
};

static TINY_NOINLINE void put_raw(struct tiny *tiny, unsigned byte) {
  if (!tiny->error)
    tiny->error = tiny->put(tiny->context, (unsigned char)byte);
}

static inline void encode_bit(struct tiny *tiny, uint32_t bit);
static inline void encode_byte(struct tiny *tiny, uint32_t byte);

/* All that a frame has, from the highest bit on. */
static TINY_NOINLINE void put_bits(struct tiny *tiny, uint32_t value,
                                   unsigned count) {
  while (count--) {
    uint32_t bit = value >> count & 1, bits = tiny->bits << 1 | bit;
    encode_bit(tiny, bit);
    if (bits & 256) {
      uint32_t crc = tiny->crc ^ (bits & 255);
      int steps = 8;
      do
        crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
      while (--steps);
      tiny->crc = crc;
      encode_byte(tiny, bits & 255);
      bits = 1;
    }
    tiny->bits = bits;
  }
}

/* The lowest byte first. Not by gcc's builtin, which may be a call. */
static TINY_NOINLINE void put_word(struct tiny *tiny, uint32_t word) {
  uint32_t outer = word << 24 | word >> 24;
  uint32_t inner = (word & 0xFF00) << 8 | (word >> 8 & 0xFF00);
  put_bits(tiny, outer | inner, 32);
}

static TINY_NOINLINE void put_varint(struct tiny *tiny, uint32_t value) {
  for (; value > 127; value >>= 7)
    put_bits(tiny, value | 128, 8);
  put_bits(tiny, value, 8);
}

/* Whether the counters are what this program counts in. */
static inline bool tiny_ready(void) {
  const volatile tiny_word *guard = tiny_guard(0);
  return &__bareprof_guard && *guard == TINY_GUARD;
}

/* The build id's first bytes as two words, the lowest byte first. */
static inline uint32_t tiny_id(unsigned word) {
  const tiny_word *id =
      (const tiny_word *)(uintptr_t)(__bareprof_build_id_start + TINY_ID_AT);
  return TINY_BIG ? __builtin_bswap32(id[word]) : id[word];
}

/* The frame up to its counts. width: log2 of a counter's bytes, as the frame
 * says it. A dump is one frame, so its number need not tell states apart: the
 * ordinal will do. */
static inline void tiny_begin(struct tiny *tiny, unsigned width) {
  volatile tiny_word *half = tiny_guard(1);
  uint32_t high = *half + (1u << TINY_ORDINAL_AT);
  *half = high;
  high >>= TINY_ORDINAL_AT;
  tiny->crc = ~UINT32_C(0);
  tiny->bits = 1;
  put_word(tiny,
           (TINY_LEAN + (uint32_t)(uintptr_t)&tiny_counters_32) | high << 8);
  put_word(tiny, TINY_FORMAT | width << 6 | high << 8);
  put_word(tiny, tiny_id(0));
  put_word(tiny, tiny_id(1));
  put_bits(tiny, 0, 16); /* origin, tag */
  put_varint(tiny, (uint32_t)(__stop___llvm_prf_cnts -
                              __start___llvm_prf_cnts) >>
                       TINY_SHIFT);
  put_varint(tiny, (uint32_t)(__stop___llvm_prf_bits -
                              __start___llvm_prf_bits));
}

#endif
