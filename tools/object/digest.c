/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Computes MD5 and SHA-256 of bytes that are all in memory. Both algorithms
 * read 64-byte blocks; the end of a message is padded with 0x80, zeros and the
 * number of bits.
 */
#include "digest.h"

#include <stdbool.h>
#include <string.h>

#include "../base/bytes.h"

/* Element i is the integer part of 2^32 * |sin(i + 1)|. */
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

/* Ends a step: adds `more` to a, rotates a, and adds b to a. */
#define TURN(a, b, more, left) \
  ((a) += (more), (a) = (b) + ((a) << (left) | (a) >> (32 - (left))))

/* Does four steps of a round. After the four steps, each variable is at its
 * first place again. F is the round's function of three words. The first step
 * reads input word number `first`; each later step reads the word `by` places
 * after the previous word. */
#define FOUR_STEPS(F, i, first, by, l0, l1, l2, l3)                            \
  TURN(a, b, F(b, c, d) + in[(first) % 16] + sines[i], l0);                    \
  TURN(d, a, F(a, b, c) + in[((first) + (by)) % 16] + sines[(i) + 1], l1);     \
  TURN(c, d, F(d, a, b) + in[((first) + 2 * (by)) % 16] + sines[(i) + 2], l2); \
  TURN(b, c, F(c, d, a) + in[((first) + 3 * (by)) % 16] + sines[(i) + 3], l3)

#define CHOOSE(x, y, z) ((((y) ^ (z)) & (x)) ^ (z))
#define CHOOSE_BY_LAST(x, y, z) CHOOSE(z, x, y)
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))
#define MIX(x, y, z) ((y) ^ ((x) | ~(z)))

/* Does all four rounds on a, b, c and d. Each of these variables is a word, or
 * a vector with one word of each message. */
#define FOUR_ROUNDS()                                            \
  do {                                                           \
    for (unsigned i = 0; i < 16; i += 4) {                       \
      FOUR_STEPS(CHOOSE, i, i, 1, 7, 12, 17, 22);                \
    }                                                            \
    for (unsigned i = 16; i < 32; i += 4) {                      \
      FOUR_STEPS(CHOOSE_BY_LAST, i, 5 * i + 1, 5, 5, 9, 14, 20); \
    }                                                            \
    for (unsigned i = 32; i < 48; i += 4) {                      \
      FOUR_STEPS(PARITY, i, 3 * i + 5, 3, 4, 11, 16, 23);        \
    }                                                            \
    for (unsigned i = 48; i < 64; i += 4) {                      \
      FOUR_STEPS(MIX, i, 7 * i, 7, 6, 10, 15, 21);               \
    }                                                            \
  } while (0)

static const uint32_t start[4] = {0x67452301, 0xEFCDAB89, 0x98BADCFE,
                                  0x10325476};

static void md5_add_block(uint32_t *sum, const unsigned char *block) {
  uint32_t in[16], a = sum[0], b = sum[1], c = sum[2], d = sum[3];
  for (unsigned i = 0; i < 16; i++)
    in[i] = load32(block + 4 * i, false);
  FOUR_ROUNDS();
  sum[0] += a;
  sum[1] += b;
  sum[2] += c;
  sum[3] += d;
}

/* ---- blocks of a message ---- */

struct message_cursor {
  const unsigned char *at;
  size_t left, size;
  bool marked; /* the block with the final 0x80 has been returned */
  bool done;
};

/* Returns the next 64-byte block of a message. The block is a part of the
 * message, or the padded end of the message, which is built in `last`. */
static const unsigned char *next_message_block(struct message_cursor *message,
                                               unsigned char *last) {
  const unsigned char *block = message->at;
  size_t left = message->left;
  if (left >= 64) {
    message->at += 64;
    message->left -= 64;
    return block;
  }
  memset(last, 0, 64);
  if (left)
    memcpy(last, block, left);
  if (!message->marked)
    last[left] = 0x80;
  message->done = message->marked || left < 56;
  if (message->done)
    store64(last + 56, (uint64_t)message->size * 8, false);
  message->marked = true;
  message->left = 0;
  return last;
}

void md5(unsigned char digest[16], const void *bytes, size_t size) {
  uint32_t sum[4];
  unsigned char last[64];
  struct message_cursor message = {.at = bytes, .left = size, .size = size};
  memcpy(sum, start, sizeof sum);
  while (!message.done)
    md5_add_block(sum, next_message_block(&message, last));
  for (unsigned i = 0; i < 4; i++)
    store32(digest + 4 * i, sum[i], false);
}

uint64_t md5_low64(const void *bytes, size_t size) {
  unsigned char digest[16];
  md5(digest, bytes, size);
  return load64(digest, false);
}

/* ==== Computes MD5 of several messages at once. Each message has a lane in
 * vectors, which the compiler maps to the machine's SIMD registers. When a
 * message ends, its lane continues with the next message, so all lanes stay
 * busy. */

enum { LANES = 8 };
typedef uint32_t vector __attribute__((vector_size(4 * LANES)));

struct md5_lanes {
  const struct bytes *list;
  uint64_t *sums;
  size_t count, next;
  struct message_cursor messages[LANES];
  size_t numbers[LANES]; /* for each lane, the message's index in the list */
  uint32_t in[16][LANES], sum[4][LANES];
};

static void md5_add_lane_blocks(struct md5_lanes *lanes) {
  vector in[16], sum[4];
  memcpy(in, lanes->in, sizeof in);
  memcpy(sum, lanes->sum, sizeof sum);
  vector a = sum[0], b = sum[1], c = sum[2], d = sum[3];
  FOUR_ROUNDS();
  sum[0] += a;
  sum[1] += b;
  sum[2] += c;
  sum[3] += d;
  memcpy(lanes->sum, sum, sizeof sum);
}

/* Starts the next message in a lane. Returns false if the list has ended. */
static bool begin_next_message(struct md5_lanes *lanes, unsigned lane) {
  struct message_cursor *message = &lanes->messages[lane];
  *message = (struct message_cursor){.done = true};
  if (lanes->next == lanes->count)
    return false;
  const struct bytes *bytes = &lanes->list[lanes->next];
  *message = (struct message_cursor){
      .at = bytes->data, .left = bytes->size, .size = bytes->size};
  lanes->numbers[lane] = lanes->next++;
  for (unsigned i = 0; i < 4; i++)
    lanes->sum[i][lane] = start[i];
  return true;
}

/* Loads the next block of each lane's message. */
static void load_lane_blocks(struct md5_lanes *lanes) {
  unsigned char last[64];
  for (unsigned lane = 0; lane < LANES; lane++) {
    if (lanes->messages[lane].done)
      continue;
    const unsigned char *block =
        next_message_block(&lanes->messages[lane], last);
    for (unsigned i = 0; i < 16; i++)
      lanes->in[i][lane] = load32(block + 4 * i, false);
  }
}

void md5_low64_all(const struct bytes *list, size_t count, uint64_t *sums) {
  struct md5_lanes lanes = {.list = list, .sums = sums, .count = count};
  size_t busy = 0;
  for (unsigned lane = 0; lane < LANES; lane++)
    busy += begin_next_message(&lanes, lane);
  while (busy) {
    bool before[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
      before[lane] = lanes.messages[lane].done;
    load_lane_blocks(&lanes);
    md5_add_lane_blocks(&lanes);
    for (unsigned lane = 0; lane < LANES; lane++) {
      if (before[lane] || !lanes.messages[lane].done)
        continue;
      sums[lanes.numbers[lane]] =
          lanes.sum[0][lane] | (uint64_t)lanes.sum[1][lane] << 32;
      busy -= !begin_next_message(&lanes, lane);
    }
  }
}

/* ---- SHA-256 ---- */

enum { BLOCK = 64, ROUNDS = 64 };

/* The fractional parts of the cube roots of the first 64 primes. */
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

/* The fractional parts of the square roots of the first 8 primes. */
static const uint32_t begin[8] = {
    0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
    0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
};

static inline uint32_t rotate_right(uint32_t word, unsigned by) {
  return word >> by | word << (32 - by);
}

/* Computes the next word of the 64 words to which the 16 words of a block
 * expand. The new word overwrites the word 16 positions earlier. */
static inline uint32_t expand_word(uint32_t words[16], unsigned i) {
  uint32_t a = words[(i + 1) & 15], b = words[(i + 14) & 15];
  return words[i & 15] += words[(i + 9) & 15] +
                          (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) +
                          (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
}

/* Does one round. The indices rotate instead of the eight values, so a compiler
 * keeps all values in registers. (b ^ c) needs no computation, because it is (a
 * ^ b) of the previous round. */
static inline void sha256_round(uint32_t now[8], unsigned round,
                                uint32_t added) {
  uint32_t a = now[-round & 7], b = now[(1 - round) & 7];
  uint32_t c = now[(2 - round) & 7], e = now[(4 - round) & 7];
  uint32_t f = now[(5 - round) & 7], g = now[(6 - round) & 7];
  uint32_t first =
      now[(7 - round) & 7] + added + (((f ^ g) & e) ^ g) +
      (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25));
  now[(3 - round) & 7] += first;
  now[(7 - round) & 7] =
      first + (((a ^ b) & (b ^ c)) ^ b) +
      (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22));
}

#define EIGHT(k, WORD)                                     \
  sha256_round(now, 0, root[k] + WORD(k)),                 \
      sha256_round(now, 1, root[(k) + 1] + WORD((k) + 1)), \
      sha256_round(now, 2, root[(k) + 2] + WORD((k) + 2)), \
      sha256_round(now, 3, root[(k) + 3] + WORD((k) + 3)), \
      sha256_round(now, 4, root[(k) + 4] + WORD((k) + 4)), \
      sha256_round(now, 5, root[(k) + 5] + WORD((k) + 5)), \
      sha256_round(now, 6, root[(k) + 6] + WORD((k) + 6)), \
      sha256_round(now, 7, root[(k) + 7] + WORD((k) + 7))
#define GIVEN(k) (words[k] = load32(block + 4 * (k), true))
#define MADE(k) expand_word(words, k)

static void sha256_add_block(uint32_t state[8], const unsigned char *block) {
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
    sha256_add_block(state, at);
  if (left)
    memcpy(last, at, left);
  last[left] = 0x80;
  store64(last + end - 8, (uint64_t)size * 8, true);
  for (size_t i = 0; i < end; i += BLOCK)
    sha256_add_block(state, last + i);
  for (unsigned i = 0; i < 8; i++)
    store32(digest + 4 * i, state[i], true);
}
