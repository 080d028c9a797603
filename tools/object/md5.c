/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * MD5 of bytes that are all there: 64-byte blocks, the last one or two of
 * which are filled up with 0x80, zeros and the number of bits.
 */
#include "digest.h"

#include <stdbool.h>
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

/* The end of a step: a becomes b plus a, with all that is added to it,
 * rotated. */
#define TURN(a, b, more, left) \
  ((a) += (more), (a) = (b) + ((a) << (left) | (a) >> (32 - (left))))

/* Four steps of a round, after which each word has its place again. F is the
 * round's function of three words; the steps take input words first, first +
 * by, ... */
#define FOUR_STEPS(F, i, first, by, l0, l1, l2, l3)                            \
  TURN(a, b, F(b, c, d) + in[(first) % 16] + sines[i], l0);                    \
  TURN(d, a, F(a, b, c) + in[((first) + (by)) % 16] + sines[(i) + 1], l1);     \
  TURN(c, d, F(d, a, b) + in[((first) + 2 * (by)) % 16] + sines[(i) + 2], l2); \
  TURN(b, c, F(c, d, a) + in[((first) + 3 * (by)) % 16] + sines[(i) + 3], l3)

#define CHOOSE(x, y, z) ((((y) ^ (z)) & (x)) ^ (z))
#define CHOOSE_BY_LAST(x, y, z) CHOOSE(z, x, y)
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))
#define MIX(x, y, z) ((y) ^ ((x) | ~(z)))

/* The four rounds on a, b, c, d: words, or vectors with a word of each
 * message. */
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

static void add_block(uint32_t *sum, const unsigned char *block) {
  uint32_t in[16], a = sum[0], b = sum[1], c = sum[2], d = sum[3];
  for (unsigned i = 0; i < 16; i++)
    in[i] = load32(block + 4 * i, false);
  FOUR_ROUNDS();
  sum[0] += a;
  sum[1] += b;
  sum[2] += c;
  sum[3] += d;
}

/* ---- what remains of a message ---- */

struct message {
  const unsigned char *at;
  size_t left, size;
  bool marked; /* the 0x80 behind it was in a block */
  bool done;
};

/* Returns the next block of 64 bytes: the message's, or made in last. */
static const unsigned char *next_block(struct message *message,
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
  struct message message = {.at = bytes, .left = size, .size = size};
  memcpy(sum, start, sizeof sum);
  while (!message.done)
    add_block(sum, next_block(&message, last));
  for (unsigned i = 0; i < 4; i++)
    store32(digest + 4 * i, sum[i], false);
}

uint64_t md5_low64(const void *bytes, size_t size) {
  unsigned char digest[16];
  md5(digest, bytes, size);
  return load64(digest, false);
}

/* ==== Several messages side by side: each is a lane of vectors, which the
 * compiler maps to what the machine has. A lane whose message ends takes the
 * next one, so messages of any lengths keep all lanes busy. */

enum { LANES = 8 };
typedef uint32_t vector __attribute__((vector_size(4 * LANES)));

struct side {
  const struct bytes *list;
  uint64_t *sums;
  size_t count, next;
  struct message messages[LANES];
  size_t numbers[LANES]; /* of the messages in the list */
  uint32_t in[16][LANES], sum[4][LANES];
};

static void add_blocks(struct side *side) {
  vector in[16], sum[4];
  memcpy(in, side->in, sizeof in);
  memcpy(sum, side->sum, sizeof sum);
  vector a = sum[0], b = sum[1], c = sum[2], d = sum[3];
  FOUR_ROUNDS();
  sum[0] += a;
  sum[1] += b;
  sum[2] += c;
  sum[3] += d;
  memcpy(side->sum, sum, sizeof sum);
}

/* Begins the next message in a lane. false: there is none. */
static bool take_message(struct side *side, unsigned lane) {
  struct message *message = &side->messages[lane];
  *message = (struct message){.done = true};
  if (side->next == side->count)
    return false;
  const struct bytes *bytes = &side->list[side->next];
  *message = (struct message){
      .at = bytes->data, .left = bytes->size, .size = bytes->size};
  side->numbers[lane] = side->next++;
  for (unsigned i = 0; i < 4; i++)
    side->sum[i][lane] = start[i];
  return true;
}

/* Takes a block of each lane. */
static void take_blocks(struct side *side) {
  unsigned char last[64];
  for (unsigned lane = 0; lane < LANES; lane++) {
    if (side->messages[lane].done)
      continue;
    const unsigned char *block = next_block(&side->messages[lane], last);
    for (unsigned i = 0; i < 16; i++)
      side->in[i][lane] = load32(block + 4 * i, false);
  }
}

void md5_low64_all(const struct bytes *list, size_t count, uint64_t *sums) {
  struct side side = {.list = list, .sums = sums, .count = count};
  size_t busy = 0;
  for (unsigned lane = 0; lane < LANES; lane++)
    busy += take_message(&side, lane);
  while (busy) {
    bool before[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
      before[lane] = side.messages[lane].done;
    take_blocks(&side);
    add_blocks(&side);
    for (unsigned lane = 0; lane < LANES; lane++) {
      if (before[lane] || !side.messages[lane].done)
        continue;
      sums[side.numbers[lane]] = side.sum[0][lane] | (uint64_t)side.sum[1][lane]
                                                         << 32;
      busy -= !take_message(&side, lane);
    }
  }
}
