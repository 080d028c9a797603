/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Probes by address. Those of a record come together, and linkers leave most
 * records in the order of the code: as many records as overlap are sorted at a
 * time.
 */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* Some records: where their probes end, and the least and last address. */
struct piece {
  size_t end;
  uint64_t least, most;
};

/* Stable, in linear time if it is in order: runs are merged. other has room
 * for as many. */
static void merge_sort(struct probe *list, struct probe *other, size_t count) {
  struct probe *from = list, *to = other;
  for (bool again = count > 1; again;) {
    again = false;
    for (size_t i = 0; i < count;) {
      size_t a = i + 1, b, out = i, left = i;
      while (a < count && from[a - 1].address <= from[a].address)
        a++;
      size_t right = a;
      for (b = a + (a < count); b < count; b++)
        if (from[b - 1].address > from[b].address)
          break;
      while (left < a || right < b)
        to[out++] = right >= b || (left < a &&
                                   from[left].address <= from[right].address)
                        ? from[left++]
                        : from[right++];
      again |= i || b < count;
      i = b;
    }
    struct probe *swap = from;
    from = to;
    to = swap;
  }
  if (from != list)
    memcpy(list, from, count * sizeof *list);
}

/* One for each record that has probes; how many. */
static size_t find_records(const struct probe *list, size_t count,
                           struct piece *pieces) {
  size_t number = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t address = list[i].address;
    if (i == 0 || list[i].record != list[i - 1].record)
      pieces[number++] = (struct piece){0, address, address};
    struct piece *piece = &pieces[number - 1];
    piece->end = i + 1;
    piece->least = address < piece->least ? address : piece->least;
    piece->most = address > piece->most ? address : piece->most;
  }
  return number;
}

/* Those that overlap become one; how many are left. */
static size_t join(struct piece *pieces, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    struct piece piece = pieces[i];
    while (kept && pieces[kept - 1].most > piece.least) {
      const struct piece *before = &pieces[--kept];
      piece.least = before->least < piece.least ? before->least : piece.least;
      piece.most = before->most > piece.most ? before->most : piece.most;
    }
    pieces[kept++] = piece;
  }
  return kept;
}

bool probes_sort(struct probe *list, size_t count, size_t records) {
  struct piece *pieces = calloc(records + 1, sizeof *pieces);
  struct probe *other = malloc((count + 1) * sizeof *other);
  bool done = pieces && other;
  if (done) {
    size_t number = join(pieces, find_records(list, count, pieces));
    for (size_t i = 0, begin = 0; i < number; begin = pieces[i++].end)
      merge_sort(list + begin, other, pieces[i].end - begin);
  }
  free(pieces);
  free(other);
  return done;
}
