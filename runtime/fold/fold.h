/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A 64-bit counter in memory whose lower half code counts, and whose upper half
 * bareprof_fold writes. fold.c and the host tool use these functions.
 *
 * The upper half has bit 31 if the last fold has seen the lower half at or
 * above 2^31; bit 30 is then the lowest bit of the carry at that fold; the bits
 * below are the carry. When a fold sees the lower half below 2^31 again, the
 * lower half has wrapped, and the carry grows by one. Only a fold writes the
 * upper half, and it never writes the lower one. So counting needs no lock.
 *
 * Objects that count with all 64 bits carry by themselves. The lowest bit of
 * the carry has changed when the fold sees the wrap, so the fold adds nothing.
 */
#ifndef BAREPROF_RUNTIME_FOLD_H
#define BAREPROF_RUNTIME_FOLD_H

#include <stdint.h>

#define BAREPROF_FOLD_SEEN (UINT32_C(1) << 31)
#define BAREPROF_FOLD_PARITY 30 /* the bit's number */
#define BAREPROF_FOLD_CARRY ((UINT32_C(1) << BAREPROF_FOLD_PARITY) - 1)
/* A 4-byte counter with this value means this count or more. */
#define BAREPROF_FOLD_LEAST (UINT32_C(1) << 31)
/* The highest count, as no carry can follow. */
#define BAREPROF_FOLD_MOST ((UINT64_C(1) << 62) - 1)

/* The upper half after a fold has found these halves. */
static inline uint32_t bareprof_fold_half(uint32_t high, uint32_t low) {
  uint32_t carry = high & BAREPROF_FOLD_CARRY;
  uint32_t even = ~(carry ^ high >> BAREPROF_FOLD_PARITY) & 1;
  if (!((high ^ low) >> 31))
    return high;
  if (low >> 31)
    return BAREPROF_FOLD_SEEN | (carry & 1) << BAREPROF_FOLD_PARITY | carry;
  return carry == BAREPROF_FOLD_CARRY ? carry : carry + even;
}

/* The count that these halves stand for. A count without bit 63 is itself. */
static inline uint64_t bareprof_fold_count(uint64_t counter) {
  uint32_t high = (uint32_t)(counter >> 32), low = (uint32_t)counter;
  if (high & BAREPROF_FOLD_SEEN)
    high = bareprof_fold_half(high, low) & BAREPROF_FOLD_CARRY;
  return (uint64_t)high << 32 | low;
}

#endif
