/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counts of a frame, coded: numbers are new, or 0. The full sender also
 * refers to earlier numbers; a decoder need not know which sender it was.
 */
#ifndef BAREPROF_RUNTIME_TINY_DUMP_H
#define BAREPROF_RUNTIME_TINY_DUMP_H

#include "tiny_frame.h"

/* A 0 where the kind is that of the number before, otherwise 10; a new number
 * continues with what its size is, and its bits below the first. */
static TINY_NOINLINE struct tiny *put_number(struct tiny *tiny, uint32_t low,
                                             uint32_t high) {
  unsigned zero = !(low | high), count = (zero ^ tiny->zero) + 1, size = 0;
  uint32_t code = ~1u;
  tiny->zero = zero;
  if (!zero) {
    for (uint32_t rest = low; rest >>= 1; size++)
      TINY_KEEP(rest); /* no call that counts zeros */
    if (high)
      size = 32;
    unsigned change = tiny->size ^ size, ones = change >> 2;
    tiny->size = size;
    code = ~(2u << ones | 1) << 2 | (change & 3);
    count += ones + 3;
  }
  tiny = put_bits(tiny, code, count);
  if (high)
    tiny = put_bits(tiny, high, 32);
  return put_bits(tiny, low, size);
}

static inline struct tiny *put_counter(struct tiny *tiny,
                                       const unsigned char *at) {
  const volatile tiny_word *halves = (const volatile tiny_word *)(uintptr_t)at;
  uint32_t low, high = 0;
  if (TINY_SHIFT == 0) {
    low = *at;
  } else if (TINY_SHIFT == 2) {
    low = halves[0];
  } else {
    do {
      high = halves[!TINY_BIG];
      low = halves[TINY_BIG];
    } while (halves[!TINY_BIG] != high);
  }
  return put_number(tiny, low, high);
}

/* The frame between its marks. */
static inline struct tiny *put_dump(struct tiny *tiny) {
  const unsigned char *at = __start___llvm_prf_cnts;
  tiny->zero = tiny->size = 0;
  tiny = tiny_begin(tiny, TINY_SHIFT);
  for (; at < __stop___llvm_prf_cnts; at += 1 << TINY_SHIFT)
    tiny = put_counter(tiny, at);
  for (at = TINY_BITMAP; at < __stop___llvm_prf_bits; at++)
    tiny = put_number(tiny, *at, 0);
  /* A 1, and zeros up to the end of its byte. */
  tiny = put_bits(tiny, 1u << (tiny->room - 1), tiny->room);
  return put_word(tiny, ~tiny->crc);
}

#endif
