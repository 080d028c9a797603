/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * SHA-256 of bytes that are all there: 64-byte blocks, the last one or two of
 * which are filled up with 0x80, zeros and the number of bits.
 */
#include "digest.h"

#include <string.h>

#include "../base/bytes.h"

enum { BLOCK = 64, ROUNDS = 64 };

/* The fractions of the cube roots of the first 64 primes. */
static const uint32_t roots[ROUNDS] = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1,
    0x923F82A4, 0xAB1C5ED5, 0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3,
    0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174, 0xE49B69C1, 0xEFBE4786,
    0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147,
    0x06CA6351, 0x14292967, 0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13,
    0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85, 0xA2BFE8A1, 0xA81A664B,
    0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A,
    0x5B9CCA4F, 0x682E6FF3, 0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208,
    0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
};

/* The fractions of the square roots of the first 8 primes. */
static const uint32_t begin[8] = {
    0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
    0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
};

static inline uint32_t right(uint32_t word, unsigned by) {
  return word >> by | word << (32 - by);
}

/* The next word of the 64 that a block's 16 become, in the place of the one 16
 * before. */
static inline uint32_t next_word(uint32_t words[16], unsigned i) {
  uint32_t a = words[(i + 1) & 15], b = words[(i + 14) & 15];
  return words[i & 15] += words[(i + 9) & 15] +
                          (right(a, 7) ^ right(a, 18) ^ a >> 3) +
                          (right(b, 17) ^ right(b, 19) ^ b >> 10);
}

/* One round. The eight values turn by one place a round; their names turn
 * instead, so that a compiler keeps all of them in registers. (b ^ c) is the
 * last round's (a ^ b). */
static inline void turn(uint32_t now[8], unsigned round, uint32_t added) {
  uint32_t a = now[-round & 7], b = now[(1 - round) & 7];
  uint32_t c = now[(2 - round) & 7], e = now[(4 - round) & 7];
  uint32_t f = now[(5 - round) & 7], g = now[(6 - round) & 7];
  uint32_t first = now[(7 - round) & 7] + added + (((f ^ g) & e) ^ g) +
                   (right(e, 6) ^ right(e, 11) ^ right(e, 25));
  now[(3 - round) & 7] += first;
  now[(7 - round) & 7] = first + (((a ^ b) & (b ^ c)) ^ b) +
                         (right(a, 2) ^ right(a, 13) ^ right(a, 22));
}

#define EIGHT(k, WORD)                             \
  turn(now, 0, root[k] + WORD(k)),                 \
      turn(now, 1, root[(k) + 1] + WORD((k) + 1)), \
      turn(now, 2, root[(k) + 2] + WORD((k) + 2)), \
      turn(now, 3, root[(k) + 3] + WORD((k) + 3)), \
      turn(now, 4, root[(k) + 4] + WORD((k) + 4)), \
      turn(now, 5, root[(k) + 5] + WORD((k) + 5)), \
      turn(now, 6, root[(k) + 6] + WORD((k) + 6)), \
      turn(now, 7, root[(k) + 7] + WORD((k) + 7))
#define GIVEN(k) (words[k] = load32(block + 4 * (k), true))
#define MADE(k) next_word(words, k)

static void add_block(uint32_t state[8], const unsigned char *block) {
  uint32_t words[16], now[8];
  const uint32_t *root = roots;
  memcpy(now, state, sizeof now);
  EIGHT(0, GIVEN);
  EIGHT(8, GIVEN);
  for (root += 16; root != roots + ROUNDS; root += 16) {
    EIGHT(0, MADE);
    EIGHT(8, MADE);
  }
  for (unsigned i = 0; i < 8; i++)
    state[i] += now[i];
}

void sha256(unsigned char digest[SHA256_SIZE], const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  unsigned char last[2 * BLOCK] = {0};
  uint32_t state[8];
  size_t left = size % BLOCK;
  size_t end = left < BLOCK - 8 ? BLOCK : 2 * BLOCK;
  memcpy(state, begin, sizeof state);
  for (size_t i = size / BLOCK; i; i--, at += BLOCK)
    add_block(state, at);
  if (left)
    memcpy(last, at, left);
  last[left] = 0x80;
  store64(last + end - 8, (uint64_t)size * 8, true);
  for (size_t i = 0; i < end; i += BLOCK)
    add_block(state, last + i);
  for (unsigned i = 0; i < 8; i++)
    store32(digest + 4 * i, state[i], true);
}
