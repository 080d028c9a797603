/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines functions that code bytes and numbers in frames: CRC-32, base64, and
 * the prefix code of numbers. The sender (wire_frame.c), the tiny senders
 * (tiny_send.h) and the host tool use these functions. The page
 * docs/reference/wire-format.md describes the format.
 */
#ifndef BAREPROF_RUNTIME_WIRE_CODER_H
#define BAREPROF_RUNTIME_WIRE_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* wire_frame.c: returns the CRC-32 of zlib, PNG and Ethernet (reflected
 * polynomial 0xEDB88320, all bits inverted before and after; "123456789" gives
 * 0xCBF43926). crc is 0 for the first bytes; for further bytes, crc is the
 * result of the previous call. */
uint32_t bareprof_crc32(uint32_t crc, const void *bytes, size_t size);

/* Adds a byte to a CRC. state is the complement of the CRC, all ones at first.
 * The loop takes one bit at a time, because a table would be as large as the
 * rest of the sender. */
static inline __attribute__((always_inline)) uint32_t
bareprof_crc32_step(uint32_t state, unsigned char byte) {
  state ^= byte;
  int bits = 8;
  do
    state = state >> 1 ^ (0xEDB88320 & (0 - (state & 1)));
  while (--bits);
  return state;
}

/* Returns the base64 character of a number below 64. */
static inline unsigned bareprof_base64_character(unsigned value) {
  if (value < 52)
    return value + (value < 26 ? 'A' : 'a' - 26);
  if (value < 62)
    return value - 52 + '0';
  return '+' + (value - 62) * ('/' - '+');
}

enum {
  BAREPROF_CODER_RECENT = 4,
  BAREPROF_CODER_LARGE = 32 /* the size that every number from 2^32 gets */
};

/* The kind of a number: NEW, ZERO, or AGAIN + i, which says that the number
 * equals recent[i]. */
enum { BAREPROF_CODER_NEW, BAREPROF_CODER_ZERO, BAREPROF_CODER_AGAIN };

/* The state of the coder, all zeros at the beginning of a frame. */
struct bareprof_coder {
  uint32_t kind; /* kind of the previous number; AGAIN + i is kept as AGAIN */
  uint32_t size; /* size of the last new number: bits after its first 1 */
  uint32_t recent[BAREPROF_CODER_RECENT]; /* distinct numbers, the latest
                                             first */
};

/* Returns the index that codes a kind. The kind of the previous number has
 * index 0; the other kinds follow in their order. */
static inline unsigned bareprof_coder_kind_index(uint32_t before,
                                                 unsigned kind) {
  if (kind == before)
    return 0;
  return kind < before ? kind + 1 : kind;
}

/* Returns the kind of a number, and moves the number to the front of `recent`
 * unless it is 0. A new number pushes the last number out of `recent`. Numbers
 * of more than 32 bits are always new, and do not get into `recent`. */
static inline unsigned bareprof_coder_track_kind(struct bareprof_coder *coder,
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

/* Returns the size of a new number: how many bits follow its first 1. Any
 * number of more than 32 bits has the size BAREPROF_CODER_LARGE. */
static inline uint32_t bareprof_coder_number_size(uint32_t low, uint32_t high) {
  uint32_t size = 0;
  for (uint32_t rest = low; rest >>= 1; size++)
    __asm__("" : "+r"(rest)); /* Keeps the compiler from calling __clzsi2. */
  return high ? BAREPROF_CODER_LARGE : size;
}

/* Returns the code for the size of a new number, and adds its length in bits to
 * *count. `change` is this size XOR the size of the previous new number. The
 * code is change / 4 ones, a 0, and the lower two bits of change. In the
 * returned word, bits above the code may be set. */
static inline uint32_t bareprof_coder_size_code(uint32_t change,
                                                unsigned *count) {
  unsigned ones = change >> 2;
  *count += ones + 3;
  uint32_t code = (change & 3) - (8u << ones);
  __asm__("" : "+r"(code)); /* Without this, small cores need more code. */
  return code - 8;
}

#endif
