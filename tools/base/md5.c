/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * MD5 of bytes that are all there: 64-byte blocks, the last one or two of
 * which are filled up with 0x80, zeros and the number of bits.
 */
#include "md5.h"

#include <string.h>

#include "bytes.h"

/* The whole part of 2^32 * |sin(i + 1)|. */
static const uint32_t sines[64] = {
    0xD76AA478, 0xE8C7B756, 0x242070DB, 0xC1BDCEEE, 0xF57C0FAF, 0x4787C62A,
    0xA8304613, 0xFD469501, 0x698098D8, 0x8B44F7AF, 0xFFFF5BB1, 0x895CD7BE,
    0x6B901122, 0xFD987193, 0xA679438E, 0x49B40821, 0xF61E2562, 0xC040B340,
    0x265E5A51, 0xE9B6C7AA, 0xD62F105D, 0x02441453, 0xD8A1E681, 0xE7D3FBC8,
    0x21E1CDE6, 0xC33707D6, 0xF4D50D87, 0x455A14ED, 0xA9E3E905, 0xFCEFA3F8,
    0x676F02D9, 0x8D2A4C8A, 0xFFFA3942, 0x8771F681, 0x6D9D6122, 0xFDE5380C,
    0xA4BEEA44, 0x4BDECFA9, 0xF6BB4B60, 0xBEBFBC70, 0x289B7EC6, 0xEAA127FA,
    0xD4EF3085, 0x04881D05, 0xD9D4D039, 0xE6DB99E5, 0x1FA27CF8, 0xC4AC5665,
    0xF4292244, 0x432AFF97, 0xAB9423A7, 0xFC93A039, 0x655B59C3, 0x8F0CCC92,
    0xFFEFF47D, 0x85845DD1, 0x6FA87E4F, 0xFE2CE6E0, 0xA3014314, 0x4E0811A1,
    0xF7537E82, 0xBD3AF235, 0x2AD7D2BB, 0xEB86D391,
};

static const uint8_t rotations[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

/* One of the 64 steps: its function of three words, and its input word. */
static uint32_t mix(unsigned step, const uint32_t *state,
                    const unsigned char *block) {
  uint32_t b = state[1], c = state[2], d = state[3];
  uint32_t value;
  unsigned word;
  switch (step / 16) {
  case 0:
    value = (b & c) | (~b & d);
    word = step;
    break;
  case 1:
    value = (d & b) | (~d & c);
    word = 5 * step + 1;
    break;
  case 2:
    value = b ^ c ^ d;
    word = 3 * step + 5;
    break;
  default:
    value = c ^ (b | ~d);
    word = 7 * step;
  }
  return value + load32(block + 4 * (word % 16), false);
}

static void add_block(uint32_t *sum, const unsigned char *block) {
  uint32_t state[4];
  memcpy(state, sum, sizeof state);
  for (unsigned step = 0; step < 64; step++) {
    uint32_t value = state[0] + mix(step, state, block) + sines[step];
    unsigned left = rotations[step / 16][step % 4];
    state[0] = state[3];
    state[3] = state[2];
    state[2] = state[1];
    state[1] += value << left | value >> (32 - left);
  }
  for (unsigned i = 0; i < 4; i++)
    sum[i] += state[i];
}

void md5(unsigned char digest[16], const void *bytes, size_t size) {
  uint32_t sum[4] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
  const unsigned char *at = bytes;
  size_t left = size;
  for (; left >= 64; left -= 64, at += 64)
    add_block(sum, at);
  unsigned char last[128] = {0};
  if (left)
    memcpy(last, at, left);
  last[left] = 0x80;
  size_t filled = left < 56 ? 64 : 128;
  store64(last + filled - 8, (uint64_t)size * 8, false);
  for (size_t i = 0; i < filled; i += 64)
    add_block(sum, last + i);
  for (unsigned i = 0; i < 4; i++)
    store32(digest + 4 * i, sum[i], false);
}

uint64_t md5_low64(const void *bytes, size_t size) {
  unsigned char digest[16];
  md5(digest, bytes, size);
  return load64(digest, false);
}
