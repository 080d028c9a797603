/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The model of the wire's code: what encoder (wire_coder.c) and decoder (the
 * host tool) must do alike to the bit. docs/wire-format.md describes the
 * format.
 */
#ifndef BAREPROF_RUNTIME_WIRE_CODER_H
#define BAREPROF_RUNTIME_WIRE_CODER_H

#include <stdbool.h>
#include <stdint.h>

enum {
  BAREPROF_CODER_RECENT = 4,
  BAREPROF_CODER_LARGE = 32 /* the size of all numbers from 2^32 on */
};

/* What a number is: new, 0, or one of the recent ones, plus its rank. */
enum { BAREPROF_CODER_NEW, BAREPROF_CODER_ZERO, BAREPROF_CODER_AGAIN };

/* State of the coder, all zeros at a frame's beginning. */
struct bareprof_coder {
  uint32_t kind; /* of the number before, at most AGAIN */
  uint32_t size; /* bits of the last new number behind its first 1 */
  uint32_t recent[BAREPROF_CODER_RECENT]; /* distinct, the last one first */
};

/* Where a kind stands now: that of the number before is first. */
static inline unsigned bareprof_coder_place(uint32_t before, unsigned kind) {
  if (kind == before)
    return 0;
  return kind < before ? kind + 1 : kind;
}

/* The kind of a number. Puts one that is not 0 first among the recent, of
 * which the last one is dropped if it is new. Numbers of more than 32 bits are
 * always new, and not remembered. */
static inline unsigned bareprof_coder_kind(struct bareprof_coder *coder,
                                           uint64_t value) {
  uint32_t number = (uint32_t)value, moved = number;
  if (value == 0)
    return BAREPROF_CODER_ZERO;
  if (value >> 32)
    return BAREPROF_CODER_NEW;
  unsigned kind = BAREPROF_CODER_AGAIN;
  uint32_t *recent = coder->recent;
  do {
    uint32_t next = *recent;
    *recent++ = moved;
    if (next == number)
      return kind;
    moved = next;
  } while (++kind != BAREPROF_CODER_AGAIN + BAREPROF_CODER_RECENT);
  return BAREPROF_CODER_NEW;
}

#endif
