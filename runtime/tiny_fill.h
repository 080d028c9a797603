/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Stores of whole 64-bit words, for all that is set to its initial value:
 * counters, bitmaps, the raw section of MIP, the guard, notes. RAM with ECC
 * that was never written may fault on a part of a word. The header belongs to
 * the tiny senders, as these are copied without the others.
 */
#ifndef BAREPROF_RUNTIME_TINY_FILL_H
#define BAREPROF_RUNTIME_TINY_FILL_H

#include <stdint.h>

/* Whether the core stores 64 bits at once: Arm from v7 on, but v6-M and v8-M
 * Baseline do not. */
#if UINTPTR_MAX > UINT32_MAX || (defined __arm__ && __ARM_ARCH > 6 && \
                                 (!defined __thumb__ || defined __thumb2__))
#define FILL_STORES_64 1
#else
#define FILL_STORES_64 0
#endif

/* Stores two halves in memory's order. `last`, 0 or 1: where this takes two
 * stores, the half that is stored last. Volatile keeps the compiler from
 * calling memset, which may go byte by byte. */
static inline void fill_word(uintptr_t at, uint32_t first, uint32_t second,
                             unsigned last) {
#if FILL_STORES_64
  enum { BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
  typedef uint64_t __attribute__((may_alias)) word;
  *(volatile word *)at =
      (uint64_t)(BIG ? first : second) << 32 | (BIG ? second : first);
  (void)last;
#else
  typedef uint32_t __attribute__((may_alias)) half;
  volatile half *halves = (volatile half *)at;
  halves[!last] = last ? first : second;
  halves[last] = last ? second : first;
#endif
}

#endif
