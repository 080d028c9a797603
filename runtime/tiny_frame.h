/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the tiny senders share. Each file that includes this is whole: it can be
 * copied by hand, and the compiler sees all of it. docs/wire-format.md
 * describes the frame: a compact dump whose LEAN frame has all counts.
 *
 * A file defines TINY_SHIFT, log2 of the bytes of a counter, and put_coded, the
 * encoding of a frame's byte.
 */
#ifndef BAREPROF_RUNTIME_TINY_FRAME_H
#define BAREPROF_RUNTIME_TINY_FRAME_H

#include <stdbool.h>

#include "tiny_bounds.h"

#define TINY_NOINLINE __attribute__((noinline))

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
  uint32_t bits; /* on their way into a byte, below a 1 */
  unsigned zero, size;      /* of the last number */
  unsigned last, left, column; /* of an encoding */
};

static TINY_NOINLINE void put_raw(struct tiny *tiny, unsigned byte) {
  if (!tiny->error)
    tiny->error = tiny->put(tiny->context, (unsigned char)byte);
}

/* Of the encoding; the frame's marks too. */
static void put_coded(struct tiny *tiny, unsigned byte);

static TINY_NOINLINE void put_byte(struct tiny *tiny, unsigned byte) {
  byte &= 255;
  uint32_t crc = tiny->crc ^ byte;
  int bits = 8;
  do
    crc = crc >> 1 ^ (0xEDB88320 & (0 - (crc & 1)));
  while (--bits);
  tiny->crc = crc;
  put_coded(tiny, byte);
}

static TINY_NOINLINE void put_word(struct tiny *tiny, uint32_t word) {
  for (int bytes = 4; bytes; bytes--, word >>= 8)
    put_byte(tiny, word);
}

/* The BINARY encoding, for files that choose it. */
static inline void put_binary(struct tiny *tiny, unsigned byte) {
  if (byte - 0xFA <= 2) {
    put_raw(tiny, 0xFC);
    byte ^= 0x20;
  }
  put_raw(tiny, byte);
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
  const size_t counters = (size_t)(__stop___llvm_prf_cnts -
                                   __start___llvm_prf_cnts);
  const uint32_t fields[] = {
      (TINY_LEAN + (uint32_t)(uintptr_t)&tiny_counters_32) | high << 8,
      TINY_FORMAT | width << 6 | high << 8, tiny_id(0), tiny_id(1), 0, 0,
      (uint32_t)(counters >> TINY_SHIFT),
      (uint32_t)(__stop___llvm_prf_bits - __start___llvm_prf_bits)};
  for (const uint32_t *field = fields; field != fields + 8; field++) {
    uint32_t value = *field;
    if (field < fields + 4) {
      put_word(tiny, value);
    } else {
      for (; value > 127; value >>= 7)
        put_byte(tiny, value | 128);
      put_byte(tiny, value);
    }
  }
}

#endif
