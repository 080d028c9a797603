/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines functions for 64-bit counters whose lower half instrumented code
 * increments, and whose upper half bareprof_fold writes. fold.c and the host
 * tool use these functions.
 *
 * A fold is one run of bareprof_fold. Bit 31 of the upper half is set if the
 * last fold found the lower half at or above 2^31; bit 30 is then the lowest
 * bit of the carry at that fold. Bits 0 to 29 of the upper half are the carry,
 * the upper bits of the count. When a fold sees the lower half below 2^31
 * again, the lower half has wrapped, and the carry grows by one. Only a fold
 * writes the upper half, and it never writes the lower one. So counting needs
 * no lock.
 *
 * Code that counts with all 64 bits increments the carry itself. When a fold
 * then sees the wrap, the lowest bit of the carry differs from bit 30, so the
 * fold adds nothing.
 */
#ifndef BAREPROF_RUNTIME_FOLD_H
#define BAREPROF_RUNTIME_FOLD_H

#include <stdint.h>

#define BAREPROF_FOLD_SEEN (UINT32_C(1) << 31)
#define BAREPROF_FOLD_PARITY 30 /* position of a copy of the carry's bit 0 */
#define BAREPROF_FOLD_CARRY ((UINT32_C(1) << BAREPROF_FOLD_PARITY) - 1)
/* bareprof_fold lowers 4-byte counters to this value, which means "this count
 * or more". */
#define BAREPROF_FOLD_LEAST (UINT32_C(1) << 31)
/* A count cannot be higher: the lower half has 32 bits, the carry 30. */
#define BAREPROF_FOLD_MOST ((UINT64_C(1) << 62) - 1)

/* Returns the upper half that a fold writes when it finds these two halves. */
static inline uint32_t bareprof_fold_upper_half(uint32_t high, uint32_t low) {
  uint32_t carry = high & BAREPROF_FOLD_CARRY;
  uint32_t even = ~(carry ^ high >> BAREPROF_FOLD_PARITY) & 1;
  if (!((high ^ low) >> 31))
    return high;
  if (low >> 31)
    return BAREPROF_FOLD_SEEN | (carry & 1) << BAREPROF_FOLD_PARITY | carry;
  return carry == BAREPROF_FOLD_CARRY ? carry : carry + even;
}

/* Returns the count that a fold would find now. If bit 63 of the counter is 0,
 * no fold has set bits, and the counter is the count. */
static inline uint64_t bareprof_unfold_count(uint64_t counter) {
  uint32_t high = (uint32_t)(counter >> 32), low = (uint32_t)counter;
  if (high & BAREPROF_FOLD_SEEN)
    high = bareprof_fold_upper_half(high, low) & BAREPROF_FOLD_CARRY;
  return (uint64_t)high << 32 | low;
}

#endif
