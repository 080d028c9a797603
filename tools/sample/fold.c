/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sorted, and the same made one, whenever the room is at its end: by one byte
 * after the other, from the last, but those that all have in common. No choice
 * of samples takes longer than others, as in a hash table.
 */
#include "fold.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1 << 10, VALUES = 256 };

/* What samples are sorted by, the last first. */
enum key { CHAIN, RA, PC, KEYS };

static uint64_t key_of(const struct sample *sample, enum key key) {
  return key == PC ? sample->pc : key == RA ? sample->ra : sample->chain;
}

static int compare(const struct sample *a, const struct sample *b) {
  if (a->pc != b->pc)
    return a->pc < b->pc ? -1 : 1;
  if (a->ra != b->ra)
    return a->ra < b->ra ? -1 : 1;
  return a->chain < b->chain ? -1 : a->chain > b->chain;
}

/* Whether they are in order; and the bits in which they differ, of each key. */
static bool is_sorted(const struct sample_fold *fold,
                      uint64_t different[KEYS]) {
  const struct sample *list = fold->list;
  bool sorted = true;
  for (size_t i = 1; i < fold->count; i++) {
    for (unsigned key = 0; key < KEYS; key++)
      different[key] |=
          key_of(&list[i], (enum key)key) ^ key_of(&list[i - 1], (enum key)key);
    sorted = sorted && compare(&list[i - 1], &list[i]) <= 0;
  }
  return sorted;
}

static void sort_by(const struct sample *from, struct sample *to, size_t count,
                    enum key key, unsigned shift) {
  size_t begins[VALUES] = {0}, at = 0;
  for (size_t i = 0; i < count; i++)
    begins[key_of(&from[i], key) >> shift & 0xFF]++;
  for (unsigned i = 0; i < VALUES; i++) {
    size_t number = begins[i];
    begins[i] = at;
    at += number;
  }
  for (size_t i = 0; i < count; i++)
    to[begins[key_of(&from[i], key) >> shift & 0xFF]++] = from[i];
}

static bool sort(struct sample_fold *fold) {
  uint64_t different[KEYS] = {0};
  if (is_sorted(fold, different))
    return true;
  struct sample *spare = malloc(fold->room * sizeof *spare);
  if (!spare)
    return false;
  for (unsigned key = 0; key < KEYS; key++)
    for (unsigned shift = 0; shift < 64; shift += 8) {
      if (!(different[key] >> shift & 0xFF))
        continue;
      sort_by(fold->list, spare, fold->count, (enum key)key, shift);
      struct sample *list = fold->list;
      fold->list = spare;
      spare = list;
    }
  free(spare);
  return true;
}

bool sample_fold_finish(struct sample_fold *fold) {
  size_t kept = 0;
  if (!sort(fold))
    return false;
  for (size_t i = 0; i < fold->count; i++)
    if (kept && compare(&fold->list[kept - 1], &fold->list[i]) == 0)
      fold->list[kept - 1].count += fold->list[i].count;
    else
      fold->list[kept++] = fold->list[i];
  fold->count = kept;
  return true;
}

/* Room for one more. */
static bool make_room(struct sample_fold *fold) {
  if (fold->count < fold->room)
    return true;
  if (fold->room && !sample_fold_finish(fold))
    return false;
  if (fold->room && fold->count <= fold->room / 2)
    return true;
  if (fold->count >= fold->limit)
    return false;
  size_t room = fold->room ? 2 * fold->room : (size_t)FIRST_ROOM;
  struct sample *list = realloc(fold->list, room * sizeof *list);
  if (!list)
    return false;
  fold->list = list;
  fold->room = room;
  return true;
}

bool sample_fold_add(struct sample_fold *fold, const struct sample *sample) {
  if (fold->count && compare(&fold->list[fold->count - 1], sample) == 0) {
    fold->list[fold->count - 1].count += sample->count;
    return true;
  }
  if (!make_room(fold))
    return false;
  fold->list[fold->count++] = *sample;
  return true;
}

void sample_fold_free(struct sample_fold *fold) {
  free(fold->list);
  *fold = (struct sample_fold){.limit = fold->limit};
}
