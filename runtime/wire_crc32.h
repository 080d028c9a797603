/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * CRC-32, for target and host alike.
 */
#ifndef BAREPROF_RUNTIME_WIRE_CRC32_H
#define BAREPROF_RUNTIME_WIRE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The CRC-32 of zlib, PNG and Ethernet (polynomial 0xEDB88320 reflected, all
 * ones at both ends; "123456789" gives 0xCBF43926), continued: crc is 0 at
 * first, then what the last call returned. */
uint32_t bareprof_crc32(uint32_t crc, const void *bytes, size_t size);

/* One byte, for callers that keep the CRC's complement: all ones at first. Bit
 * by bit: a table would take as much room as the rest, and the wire's encoder
 * has far more work for a byte than this. */
static inline uint32_t bareprof_crc32_step(uint32_t state, unsigned char byte) {
  state ^= byte;
  int bits = 8;
  do
    state = state >> 1 ^ (0xEDB88320 & (0 - (state & 1)));
  while (--bits);
  return state;
}

#endif
