/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Flags as a bit each, in one BINARY frame: the smallest sender. A file of its
 * own, as each function here is shaped for its size: one loop sends bytes, and
 * what is no byte in memory goes to a word on the stack first.
 */
#include "tiny_bounds.h"

/* wire.h and image.h of the full sender have the same numbers. */
enum {
  BITS_HEAD = 5 | 1 << 3 /* a format follows */ | TINY_BIG << 5,
  BITS_FORMAT = 3 | 1 << 6,
  BITS_COUNT_AT = 16,
  BITS_ID_AT = 16,
  BITS_ID_BYTES = 8
};

typedef bareprof_tiny_byte putter;

/* Returns the check, to go on with. */
static __attribute__((noinline)) uint32_t
put_bytes(uint32_t crc, const void *from, int count, putter *put) {
  const unsigned char *at = from;
  do {
    unsigned byte = *at++;
    int bits = 8;
    crc ^= byte;
    do
      crc = crc >> 1 ^ (0xEDB88320 & (0 - (crc & 1)));
    while (--bits);
    if (byte - 0xFA <= 2) {
      put(0xFC);
      byte ^= 0x20;
    }
    put((unsigned char)byte);
  } while (--count);
  return crc;
}

/* In memory the lowest byte comes first. */
static inline uint32_t low_first(uint32_t word) {
  return TINY_BIG ? __builtin_bswap32(word) : word;
}

/* The last byte has bits of what lies behind the flags: the guard at the
 * least, so that there is memory. */
static inline uint32_t put_flags(uint32_t crc, uint32_t *word, putter *put) {
  const volatile unsigned char *at = __start___llvm_prf_cnts;
  do {
    uint32_t bits = 1;
    do
      bits = bits << 1 | (*at++ != 0xFF);
    while (!(bits & 256));
    *word = low_first(bits);
    crc = put_bytes(crc, word, 1, put);
  } while (at < __stop___llvm_prf_cnts);
  return crc;
}

int bareprof_tiny_send_bits(putter *put) {
  volatile unsigned char *top =
      (volatile unsigned char *)tiny_guard(1) + (TINY_BIG ? 0 : 3);
  uint32_t head[2];
  if (!&__bareprof_guard || *tiny_guard(0) != TINY_GUARD)
    return BAREPROF_E_NOT_INIT;
  put(0xFA);
  uint32_t ordinal = (uint8_t)(*top + 1);
  *top = (unsigned char)ordinal;
  ordinal <<= 8;
  head[0] = low_first(BITS_HEAD | ordinal);
  head[1] = low_first(
      BITS_FORMAT | ordinal |
      (uint32_t)(__stop___llvm_prf_cnts - __start___llvm_prf_cnts)
          << BITS_COUNT_AT);
  uint32_t crc = put_bytes(~UINT32_C(0), head, sizeof head, put);
  crc = put_bytes(crc, __bareprof_build_id_start + BITS_ID_AT, BITS_ID_BYTES,
                  put);
  head[0] = low_first(~put_flags(crc, head, put));
  put_bytes(0, head, sizeof *head, put);
  put(0xFB);
  return 0;
}
