/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How a 64-bit counter of which code counts only the lower half stands in
 * memory once bareprof_fold runs. The host tool reads memory by the same
 * functions.
 *
 * The upper half: bit 31, the last fold has seen the lower half at or above
 * 2^31; bit 30, if so, the lowest bit of the carry at that fold; below, the
 * carry. When a fold sees the lower half fall below 2^31 again, the lower half
 * has wrapped, and the carry grows by one. Only a fold writes the upper half,
 * and it never writes the lower one. So counting needs no lock.
 *
 * Objects that count with all 64 bits carry by themselves: their carry has
 * another lowest bit when the fold sees the fall, and does not grow again.
 */
#ifndef BAREPROF_RUNTIME_FOLD_H
#define BAREPROF_RUNTIME_FOLD_H

#include <stdint.h>

#define BAREPROF_FOLD_SEEN (UINT32_C(1) << 31)
#define BAREPROF_FOLD_PARITY 30 /* the bit's number */
#define BAREPROF_FOLD_CARRY ((UINT32_C(1) << BAREPROF_FOLD_PARITY) - 1)
/* A 4-byte counter with this value has counted this often or more. */
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
