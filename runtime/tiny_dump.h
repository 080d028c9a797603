/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counts of a frame, coded: numbers are new, or 0. The full sender also
 * refers to earlier numbers; a decoder need not know which sender it was.
 */
#ifndef BAREPROF_RUNTIME_TINY_DUMP_H
#define BAREPROF_RUNTIME_TINY_DUMP_H

#include "tiny_frame.h"

/* 0 where the kind is that of the number before, otherwise 10; a new number
 * continues with what its size is, and its bits below the first. */
static TINY_NOINLINE void put_number(struct tiny *tiny, uint32_t low,
                                     uint32_t high) {
  unsigned zero = !(low | high), other = zero ^ tiny->zero, size = 0;
  tiny->zero = zero;
  put_bits(tiny, 2, other + 1);
  if (zero)
    return;
  while (low >> size > 1)
    size++;
  if (high)
    size = 32;
  unsigned change = tiny->size ^ size, ones = change >> 2;
  tiny->size = size;
  put_bits(tiny, ~(2u << ones | 1) << 2 | (change & 3), ones + 3);
  if (high)
    put_bits(tiny, high, 32);
  put_bits(tiny, low, size);
}

static inline void put_counter(struct tiny *tiny, const unsigned char *at) {
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
  put_number(tiny, low, high);
}

/* The frame between its marks. */
static inline void put_dump(struct tiny *tiny) {
  const unsigned char *at = __start___llvm_prf_cnts;
  tiny->zero = tiny->size = 0;
  tiny_begin(tiny, TINY_SHIFT);
  for (; at != __stop___llvm_prf_cnts; at += 1 << TINY_SHIFT)
    put_counter(tiny, at);
  for (at = __start___llvm_prf_bits; at != __stop___llvm_prf_bits; at++)
    put_number(tiny, *at, 0);
  /* A 1, and zeros up to the end of its byte. */
  uint32_t bit = 1;
  do {
    put_bits(tiny, bit, 1);
    bit = 0;
  } while (tiny->bits != 1);
  put_word(tiny, ~tiny->crc);
}

#endif
