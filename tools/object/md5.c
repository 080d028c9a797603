/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * MD5 of bytes that are all there: 64-byte blocks, the last one or two of
 * which are filled up with 0x80, zeros and the number of bits.
 */
#include "md5.h"

#include <string.h>

#include "../base/bytes.h"

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

/* The end of a step: *a becomes b plus *a, with all that is added to it,
 * rotated. */
static inline void turn(uint32_t *a, uint32_t b, uint32_t more, unsigned left) {
  uint32_t sum = *a + more;
  *a = b + (sum << left | sum >> (32 - left));
}

/* Four steps of a round, after which each word has its place again. F is the
 * round's function of three words; the steps take input words first, first +
 * by, ... */
#define FOUR_STEPS(F, i, first, by, l0, l1, l2, l3)                         \
  turn(&a, b, F(b, c, d) + in[(first) % 16] + sines[i], l0);                \
  turn(&d, a, F(a, b, c) + in[((first) + (by)) % 16] + sines[(i) + 1], l1); \
  turn(&c, d, F(d, a, b) + in[((first) + 2 * (by)) % 16] + sines[(i) + 2],  \
       l2);                                                                 \
  turn(&b, c, F(c, d, a) + in[((first) + 3 * (by)) % 16] + sines[(i) + 3], l3)

#define CHOOSE(x, y, z) (((x) & (y)) | (~(x) & (z)))
#define CHOOSE_BY_LAST(x, y, z) CHOOSE(z, x, y)
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))
#define MIX(x, y, z) ((y) ^ ((x) | ~(z)))

static void add_block(uint32_t *sum, const unsigned char *block) {
  uint32_t in[16], a = sum[0], b = sum[1], c = sum[2], d = sum[3];
  for (unsigned i = 0; i < 16; i++)
    in[i] = load32(block + 4 * i, false);
  for (unsigned i = 0; i < 16; i += 4) {
    FOUR_STEPS(CHOOSE, i, i, 1, 7, 12, 17, 22);
  }
  for (unsigned i = 16; i < 32; i += 4) {
    FOUR_STEPS(CHOOSE_BY_LAST, i, 5 * i + 1, 5, 5, 9, 14, 20);
  }
  for (unsigned i = 32; i < 48; i += 4) {
    FOUR_STEPS(PARITY, i, 3 * i + 5, 3, 4, 11, 16, 23);
  }
  for (unsigned i = 48; i < 64; i += 4) {
    FOUR_STEPS(MIX, i, 7 * i, 7, 6, 10, 15, 21);
  }
  sum[0] += a;
  sum[1] += b;
  sum[2] += c;
  sum[3] += d;
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
