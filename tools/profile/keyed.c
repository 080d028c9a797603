/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * By one byte of the key after the other, from the last; bytes that all keys
 * have in common, as most have, are left out.
 */
#include "keyed.h"

#include <stdbool.h>
#include <string.h>

/* So few are put into their places one by one. */
enum { FEW = 64, VALUES = 256 };

static void insert_all(struct keyed *list, size_t count) {
  for (size_t i = 1; i < count; i++) {
    struct keyed one = list[i];
    size_t at = i;
    for (; at && list[at - 1].key > one.key; at--)
      list[at] = list[at - 1];
    list[at] = one;
  }
}

/* Where those with each value of a byte begin. */
static void count_all(const struct keyed *list, size_t count, unsigned shift,
                      size_t begins[VALUES]) {
  size_t counts[VALUES] = {0}, at = 0;
  for (size_t i = 0; i < count; i++)
    counts[list[i].key >> shift & 0xFF]++;
  for (unsigned i = 0; i < VALUES; i++) {
    begins[i] = at;
    at += counts[i];
  }
}

/* Whether they are in order; and in which bits they are not all the same. */
static bool is_sorted(const struct keyed *list, size_t count,
                      uint64_t *different) {
  bool sorted = true;
  *different = 0;
  for (size_t i = 1; i < count; i++) {
    *different |= list[i].key ^ list[i - 1].key;
    sorted = sorted && list[i - 1].key <= list[i].key;
  }
  return sorted;
}

void keyed_sort(struct keyed *list, struct keyed *spare, size_t count) {
  size_t begins[VALUES];
  uint64_t different;
  struct keyed *from = list, *to = spare;
  if (count < FEW) {
    insert_all(list, count);
    return;
  }
  if (is_sorted(list, count, &different))
    return;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if (!(different >> shift & 0xFF))
      continue;
    count_all(from, count, shift, begins);
    for (size_t i = 0; i < count; i++)
      to[begins[from[i].key >> shift & 0xFF]++] = from[i];
    struct keyed *other = from;
    from = to;
    to = other;
  }
  if (from != list)
    memcpy(list, from, count * sizeof *list);
}
