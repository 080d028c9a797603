/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Value slots of several dumps: added up, subtracted, cut, in both byte orders.
 * Prints differences from the expected results.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct given {
  uint64_t owner, value, count;
  uint32_t site;
};

static int failures;

static void fail(const char *what) {
  printf("%s: not so\n", what);
  failures++;
}

static void give(struct snapshot *to, bool big, const struct given *given,
                 size_t count) {
  struct dump_header header = {.big_endian = big};
  header.pieces[BAREPROF_PIECE_COUNTERS].size = 8;
  header.pieces[BAREPROF_PIECE_SLOTS].size = count * SLOT_BYTES;
  if (!snapshot_init(to, &header))
    exit(1);
  unsigned char *at = to->parts[BAREPROF_PIECE_SLOTS].bytes;
  for (size_t i = 0; i < count; i++, at += SLOT_BYTES) {
    store64(at, given[i].owner, big);
    store64(at + 8, given[i].value, big);
    store64(at + 16, given[i].count, big);
    store64(at + 24, given[i].site, big);
  }
}

static void expect(const char *what, const struct snapshot *snapshot,
                   const struct given *given, size_t count) {
  struct value_slots slots;
  if (!slots_read(&slots, snapshot))
    exit(1);
  bool same = slots.count == count && slots_count_used(snapshot) >= count;
  for (size_t i = 0; same && i < count; i++)
    same = slots.list[i].owner == given[i].owner &&
           slots.list[i].value == given[i].value &&
           slots.list[i].count == given[i].count &&
           slots.list[i].site == given[i].site;
  if (!same)
    fail(what);
  free(slots.list);
}

static const struct given first[] = {
    {0x41, 7, 5, 1}, {0, 0, 0, 0},    {0x11, 9, 1, 0},    {0x41, 7, 2, 1},
    {0x41, 8, 3, 1}, {0x41, 1, 4, 0}, {0x41, 6, ~0ull, 1}};
static const struct given second[] = {
    {0x41, 5, 9, 1}, {0x41, 8, 4, 1}, {0x41, 7, 10, 1}, {0x41, 6, 3, 1}};

static void both(bool big) {
  struct snapshot a, b;
  static const struct given read[] = {{0x11, 9, 1, 0},
                                      {0x41, 1, 4, 0},
                                      {0x41, 7, 7, 1},
                                      {0x41, 8, 3, 1},
                                      {0x41, 6, ~0ull, 1}};
  static const struct given sum[] = {{0x11, 9, 1, 0},     {0x41, 1, 4, 0},
                                     {0x41, 7, 17, 1},    {0x41, 8, 7, 1},
                                     {0x41, 6, ~0ull, 1}, {0x41, 5, 9, 1}};
  /* Since the first: 6 and 1 had lost their slots, 8 counted once. */
  static const struct given since[] = {
      {0x41, 5, 9, 1}, {0x41, 8, 1, 1}, {0x41, 7, 3, 1}, {0x41, 6, 3, 1}};
  give(&a, big, first, COUNT(first));
  give(&b, big, second, COUNT(second));
  expect("one value in two slots", &a, read, COUNT(read));
  if (!slots_merge(&a, &b))
    exit(1);
  expect("the sum", &a, sum, COUNT(sum));
  snapshot_free(&a);
  give(&a, big, first, COUNT(first));
  if (!slots_subtract(&b, &a))
    exit(1);
  expect("the difference", &b, since, COUNT(since));
  struct dump_header none = {.big_endian = big};
  struct snapshot c;
  none.pieces[BAREPROF_PIECE_COUNTERS].size = 8;
  if (!snapshot_init(&c, &none) || !slots_merge(&c, &a) || !slots_merge(&a, &a))
    exit(1);
  expect("the sum with nothing", &c, read, COUNT(read));
  snapshot_free(&c);
  snapshot_free(&a);
  snapshot_free(&b);
}

/* Of 300 values the 255 most counted are left, in their order. */
static void many(void) {
  struct bareprof_value_slot list[300];
  for (uint32_t i = 0; i < 300; i++)
    list[i] = (struct bareprof_value_slot){
        .owner = 1, .value = i, .count = i * 7 % 300 + 1, .rank = i};
  if (slots_keep_highest(list, 255, 255) != 255 || list[254].value != 254 ||
      slots_keep_highest(list, 300, 255) != 255)
    fail("their number");
  for (uint32_t i = 0; i < 255; i++)
    if (list[i].count <= 45 || (i && list[i].value <= list[i - 1].value))
      fail("the most counted");
}

int main(void) {
  both(false);
  both(true);
  many();
  return failures != 0;
}
