/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The smallest sender: it sends one bit for each byte counter, in one BINARY
 * frame. The file does not use tiny_send.h: its own functions are written so
 * that the values of each function fit into few registers.
 */
#include "tiny.h"

/* wire.h and image.h define the same numbers, but a program that has copied
 * only the tiny sender lacks these headers. */
enum {
  BITS_HEAD = 5 | 1 << 3 /* a format follows */ | TINY_BIG << 5,
  BITS_FORMAT = 3 | 1 << 6,
  BITS_COUNT_AT = 16
};

typedef bareprof_tiny_byte putter;

/* Sends the lower `count` bytes of `bytes`, the lowest first. check: the CRC of
 * the frame before these bytes. Returns the CRC including them. */
static uint32_t put_bytes(uint32_t check, uint32_t bytes, int count,
                          putter *put) {
  uint32_t crc = ~check;
  do {
    int steps = 8;
    crc ^= bytes & 255;
    do {
      uint32_t odd = crc << 31;
      BAREPROF_KEEP(odd);
      odd = (uint32_t)((int32_t)odd >> 31);
      BAREPROF_KEEP(odd);
      crc = crc >> 1 ^ (odd & 0xEDB88320);
      BAREPROF_KEEP(steps);
    } while (--steps);
    if ((bytes & 255) - 0xFA <= 2) {
      put(0xFC);
      bytes ^= 0x20;
    }
    put((unsigned char)bytes);
    bytes >>= 8;
  } while (--count);
  return ~crc;
}

/* Sends a bit for each of the `left` counters. A byte counter is 0 if its code
 * ran, otherwise -1. Only the sign of a damaged counter is used, so that the
 * inner loop ends after 8 counters. The last byte of the frame's bits may also
 * have bits of the padding after the counters, which ends at a multiple of 8
 * bytes. */
static inline uint32_t put_counter_bits(uint32_t check, int left, putter *put) {
  const volatile signed char *at =
      (const volatile signed char *)__start___llvm_prf_cnts;
  do {
    uint32_t bits = 1;
    do {
      int sign = *at++ >> 7; /* 0 or -1 */
      bits = bits * 2 - (uint32_t)sign;
    } while (!(bits & 256));
    check = put_bytes(check, ~bits, 1, put);
    left -= 8;
  } while (left > 0);
  return check;
}

static inline void put_frame(putter *put) {
  const bareprof_any32 *id =
      (const bareprof_any32 *)(uintptr_t)__bareprof_build_id_start;
  int words = TINY_ID_WORDS;
  put(0xFA);
  uint32_t ordinal = tiny_next_ordinal() << 8;
  int left = (int)(__stop___llvm_prf_cnts - __start___llvm_prf_cnts);
  uint32_t check = put_bytes(0, BITS_HEAD | ordinal, 4, put);
  check = put_bytes(
      check, BITS_FORMAT | ordinal | (uint32_t)left << BITS_COUNT_AT, 4, put);
  do {
    check = put_bytes(check, tiny_to_little_endian(id[TINY_ID_AT]), 4, put);
    id++;
    BAREPROF_KEEP(words);
  } while (--words);
  check = put_counter_bits(check, left, put);
  put_bytes(check, check, 4, put);
  put(0xFB);
}

int bareprof_tiny_send_bits(putter *put) {
  int error = tiny_check();
  if (!error)
    put_frame(put);
  BAREPROF_KEEP(error); /* makes the compiler use one return instruction */
  return error;
}

/* Fills all memory from the counters up to the guard word. A bitmap between
 * them gets the initial value of counters, which does no harm, because this
 * sender does not send the bitmap. */
void bareprof_tiny_init_bits(void) {
  if (!&__bareprof_guard)
    return;
  tiny_fill(__start___llvm_prf_cnts, &__bareprof_guard, UINT32_MAX);
  tiny_set_guard();
}
