/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The order in which llvm-profdata writes the checksums of functions. It means
 * nothing to readers, and is what a hash table of the C++ library has made of
 * the order of the text; here that table is built again, for the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../object/md5.h"
#include "sampled.h"

/* ==== The hash of elements: a number for each frame, mixed as LLVM's
 * ADT/Hashing.h mixes words of 8 bytes: in three ways for up to 2, 4 and 8 of
 * them, and 8 at a time if there are more. */

/* Constants of that header. */
#define FACTOR_0 UINT64_C(0xC3A5C85C97CB3127)
#define FACTOR_1 UINT64_C(0xB492B66FBE98F273)
#define FACTOR_2 UINT64_C(0x9AE16A3B2F90404F)
#define FACTOR_3 UINT64_C(0xC949D7C7509E6557)
#define FACTOR_PAIR UINT64_C(0x9DDFEA08EB382D69)
#define SEED UINT64_C(0xFF51AFD7ED558CCD)

static uint64_t turn(uint64_t value, unsigned right) {
  return value >> right | value << (64 - right);
}

static uint64_t fold(uint64_t value) { return value ^ value >> 47; }

static uint64_t pair(uint64_t low, uint64_t high) {
  uint64_t mixed = fold((low ^ high) * FACTOR_PAIR);
  return fold((high ^ mixed) * FACTOR_PAIR) * FACTOR_PAIR;
}

/* ---- up to 8 words ---- */

static uint64_t of_two(const uint64_t *words, size_t count) {
  if (count == 1)
    return pair(8 + (words[0] << 32 >> 29), SEED ^ words[0] >> 32);
  return pair(SEED ^ words[0], turn(words[1] + 16, 16)) ^ words[1];
}

static uint64_t of_four(const uint64_t *words, size_t count) {
  uint64_t a = words[0] * FACTOR_1, b = words[1];
  uint64_t c = words[count - 1] * FACTOR_2, d = words[count - 2] * FACTOR_0;
  return pair(turn(a - b, 43) + turn(c ^ SEED, 30) + d,
              a + turn(b ^ FACTOR_3, 20) - c + 8 * count + SEED);
}

struct halves {
  uint64_t sum, mix;
};

/* first, and two words behind it; last is added to the whole. */
static struct halves half_of(uint64_t first, const uint64_t *behind,
                             uint64_t last) {
  uint64_t mix = turn(first + last, 52), step = turn(first, 37);
  first += behind[0];
  step += turn(first, 7);
  first += behind[1];
  return (struct halves){first + last, mix + turn(first, 31) + step};
}

static uint64_t of_eight(const uint64_t *words, size_t count) {
  const uint64_t *end = words + count;
  struct halves left =
      half_of(words[0] + (8 * count + end[-2]) * FACTOR_0, words + 1, words[3]);
  struct halves right = half_of(words[2] + end[-4], end - 3, end[-1]);
  uint64_t all = fold((left.sum + right.mix) * FACTOR_2 +
                      (right.sum + left.mix) * FACTOR_0);
  return fold((SEED ^ all * FACTOR_0) + left.mix) * FACTOR_2;
}

/* ---- more ---- */

static void mix_four(uint64_t *a, uint64_t *b, const uint64_t *words) {
  uint64_t before = *a += words[0];
  *b = turn(*b + *a + words[3], 21);
  *a += words[1] + words[2];
  *b += turn(*a, 44) + before;
  *a += words[3];
}

static void mix_eight(uint64_t state[7], const uint64_t *words) {
  uint64_t swap =
      turn(state[0] + state[1] + state[3] + words[1], 37) * FACTOR_1;
  state[1] = turn(state[1] + state[4] + words[6], 42) * FACTOR_1;
  swap ^= state[6];
  state[1] += state[3] + words[5];
  state[0] = turn(state[2] + state[5], 33) * FACTOR_1;
  state[3] = state[4] * FACTOR_1;
  state[4] = swap + state[5];
  mix_four(&state[3], &state[4], words);
  state[5] = state[0] + state[6];
  state[6] = state[1] + words[2];
  mix_four(&state[5], &state[6], words + 4);
  state[2] = swap;
}

/* The last 8 are taken again in part, if there are not 8 left. */
static uint64_t of_many(const uint64_t *words, size_t count) {
  uint64_t state[7] = {0,
                       SEED,
                       pair(SEED, FACTOR_1),
                       turn(SEED ^ FACTOR_1, 49),
                       SEED * FACTOR_1,
                       fold(SEED),
                       0};
  state[6] = pair(state[4], state[5]);
  for (size_t at = 0; at + 8 <= count; at += 8)
    mix_eight(state, words + at);
  if (count % 8)
    mix_eight(state, words + count - 8);
  return pair(pair(state[3], state[5]) + fold(state[1]) * FACTOR_1 + state[2],
              pair(state[4], state[6]) + fold(8 * count) * FACTOR_1 + state[0]);
}

/* ---- frames ---- */

static uint64_t of_frame(const struct sampled_frame *frame) {
  uint64_t site = (uint64_t)frame->site.discriminator << 32 | frame->site.line;
  return md5_low64(frame->name, frame->size) + site * 33;
}

/* The number by which llvm-profdata (LLVM 19 to 22) knows a function of a
 * profile. Without a context: the MD5 of its name. With a context: a mix of the
 * names and sites of all frames. LLVM may change that mix. false: no memory. */
static bool context_hash(const struct sampled_function *function,
                         uint64_t *hash) {
  struct buffer buffer = {.limit = (size_t)1 << 30};
  struct sampled_frame frame;
  const char *error = NULL;
  *hash = md5_low64(function->name, strlen(function->name));
  if (!function->context)
    return true;
  for (sampled_frames(&frame, function);
       !error && sampled_next_frame(&frame);) {
    uint64_t word = of_frame(&frame);
    error = buffer_append(&buffer, &word, sizeof word);
  }
  const uint64_t *words = (const void *)buffer.data;
  size_t count = buffer.size / sizeof *words;
  if (!error)
    *hash = count <= 2   ? of_two(words, count)
            : count <= 4 ? of_four(words, count)
            : count <= 8 ? of_eight(words, count)
                         : of_many(words, count);
  buffer_free(&buffer);
  return !error;
}

/* ==== libstdc++'s std::unordered_map: one list of all elements, in which those
 * of a bucket are next to each other. An element goes before those of its
 * bucket, or before all if it is the bucket's first. When there are as many
 * elements as buckets, all elements are put into twice as many, in the order of
 * the list. */

#define NOTHING UINT32_MAX

struct table {
  const uint64_t *keys; /* of elements, which count from 1 */
  uint32_t *next;       /* of elements; of 0: the first. 0: none */
  uint32_t *before;     /* of buckets: what comes before, or NOTHING */
  uint32_t buckets, count;
};

/* How many buckets it has, one after the other: primes. */
static const uint32_t bucket_counts[] = {
    13,      29,      59,      127,      257,      541,      1109,     2357,
    5087,    10273,   20753,   42043,    85229,    172933,   351061,   712697,
    1447153, 2938679, 5967347, 12117689, 24607243, 49969847, 101473717};
enum { BUCKET_COUNTS = sizeof bucket_counts / sizeof *bucket_counts };

static uint32_t bucket_of(const struct table *table, uint32_t element) {
  return (uint32_t)(table->keys[element] % table->buckets);
}

static void put_element(struct table *table, uint32_t element) {
  uint32_t *before = &table->before[bucket_of(table, element)];
  if (*before == NOTHING) {
    uint32_t first = table->next[0];
    *before = 0;
    if (first)
      table->before[bucket_of(table, first)] = element;
  }
  table->next[element] = table->next[*before];
  table->next[*before] = element;
}

static void grow_table(struct table *table) {
  unsigned size = 0;
  while (size + 1 < BUCKET_COUNTS && bucket_counts[size] <= table->buckets)
    size++;
  table->buckets = bucket_counts[size];
  for (uint32_t i = 0; i < table->buckets; i++)
    table->before[i] = NOTHING;
  uint32_t element = table->next[0], next;
  for (table->next[0] = 0; element; element = next) {
    next = table->next[element];
    put_element(table, element);
  }
}

/* Puts all into the table by this order, which becomes that of its list. */
static void pass_through(struct table *table, uint32_t *order, uint32_t count) {
  table->buckets = table->next[0] = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (i == table->buckets)
      grow_table(table);
    put_element(table, order[i]);
  }
  uint32_t at = 0;
  for (uint32_t i = table->next[0]; i; i = table->next[i])
    order[at++] = i;
}

/* As many buckets as a table of count elements ever has. */
static size_t buckets_for(uint32_t count) {
  unsigned size = 0;
  while (size + 1 < BUCKET_COUNTS && bucket_counts[size] < count)
    size++;
  return bucket_counts[size];
}

static bool hash_all(const struct sampled_function **list, uint64_t *keys,
                     uint32_t *order, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    order[i] = i + 1;
    if (!context_hash(list[i], &keys[i + 1]))
      return false;
  }
  return true;
}

/* One table for the functions read from the text, and one for the merged
 * functions. */
static bool sort_functions(const struct sampled_function **list,
                           uint32_t count) {
  uint64_t *keys = calloc(count + (size_t)1, sizeof *keys);
  uint32_t *order = calloc(count + (size_t)1, sizeof *order);
  struct table table = {.keys = keys,
                        .next = calloc(count + (size_t)1, sizeof *table.next),
                        .before =
                            calloc(buckets_for(count), sizeof *table.before)};
  const struct sampled_function **from =
      calloc(count + (size_t)1, sizeof *from);
  bool done = keys && order && table.next && table.before && from &&
              hash_all(list, keys, order, count);
  if (done) {
    pass_through(&table, order, count);
    pass_through(&table, order, count);
    for (uint32_t i = 0; i < count; i++)
      from[i] = list[order[i] - 1];
    for (uint32_t i = 0; i < count; i++)
      list[i] = from[i];
  }
  free(keys);
  free(order);
  free(table.next);
  free(table.before);
  free(from);
  return done;
}

const struct sampled_function **binary_order(const struct sampled *profile) {
  const struct sampled_function **list =
      calloc(profile->function_count + (size_t)1, sizeof *list);
  uint32_t count = 0;
  for (const struct sampled_function *function = profile->functions;
       function && list; function = function->next)
    list[count++] = function;
  if (list && sort_functions(list, count))
    return list;
  free(list);
  return NULL;
}
