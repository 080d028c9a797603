/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples, folded.
 */
#include "input.h"
#include "../base/buffer.h"
#include "../base/map.h"

#include <stdlib.h>
#include <string.h>

static const char no_memory[] =
    "more different samples than there is memory for; give fewer of them";

enum { DIFFERENT_MOST = 1 << 26 };

/* ==== Folding: whenever the room is at its end, samples are sorted and equal
 * ones become one. They are sorted by one byte after the other, from the last,
 * except bytes that all have in common. Unlike in a hash table, no choice of
 * samples takes longer than others. */

enum { FIRST_ROOM = 1 << 10, VALUES = 256 };

/* The keys for sorting samples, least significant first. */
enum key { CHAIN, RA, PC, KEYS };

static uint64_t key_of(const struct sample *sample, enum key key) {
  return key == PC ? sample->pc : key == RA ? sample->ra : sample->chain;
}

static int compare_samples(const struct sample *a, const struct sample *b) {
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
    sorted = sorted && compare_samples(&list[i - 1], &list[i]) <= 0;
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

static bool sort_samples(struct sample_fold *fold) {
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

/* false: no memory. */
static bool fold_finish(struct sample_fold *fold) {
  size_t kept = 0;
  if (!sort_samples(fold))
    return false;
  for (size_t i = 0; i < fold->count; i++)
    if (kept && compare_samples(&fold->list[kept - 1], &fold->list[i]) == 0)
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
  if (fold->room && !fold_finish(fold))
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

/* false: no memory, or more than limit. */
static bool fold_add(struct sample_fold *fold, const struct sample *sample) {
  if (fold->count &&
      compare_samples(&fold->list[fold->count - 1], sample) == 0) {
    fold->list[fold->count - 1].count += sample->count;
    return true;
  }
  if (!make_room(fold))
    return false;
  fold->list[fold->count++] = *sample;
  return true;
}

static void fold_free(struct sample_fold *fold) {
  free(fold->list);
  *fold = (struct sample_fold){.limit = fold->limit};
}

/* ==== All samples. */

void samples_begin(struct samples *samples) {
  *samples = (struct samples){
      .folded = {.limit = DIFFERENT_MOST},
      .callers = {.limit = DIFFERENT_MOST},
      .caller_memory = {.limit = DIFFERENT_MOST * sizeof(struct sample_caller)},
  };
  flow_begin(&samples->flow);
}

void samples_free(struct samples *samples) {
  fold_free(&samples->folded);
  map_free(&samples->callers);
  buffer_free(&samples->caller_memory);
  flow_free(&samples->flow);
  samples->list = NULL;
}

/* The number of this caller within these. */
static uint32_t number_of_caller(struct samples *samples, uint64_t address,
                                 uint32_t outer) {
  const struct sample_caller none = {0, 0}, made = {address, outer};
  struct buffer *memory = &samples->caller_memory;
  bool is_new;
  size_t number =
      map_number(&samples->callers, (uint64_t[3]){address, outer}, &is_new);
  if (!number || (!memory->size && buffer_append(memory, &none, sizeof none)) ||
      (is_new && buffer_append(memory, &made, sizeof made)))
    return UINT32_MAX;
  return (uint32_t)number;
}

/* The number of the innermost caller. UINT32_MAX: no memory. */
static uint32_t chain_of(struct samples *samples,
                         const struct sample_taken *taken) {
  size_t depth = 1;
  uint32_t chain = 0;
  while (depth < taken->depth && taken->stack[depth])
    depth++;
  for (size_t i = 0; i + 1 < depth && chain != UINT32_MAX; i++) {
    struct sample_outer *known = &samples->outer[i];
    uint64_t address = taken->stack[depth - 1 - i] - samples->offset;
    if (i >= samples->outer_count || known->address != address) {
      chain = number_of_caller(samples, address, chain);
      *known = (struct sample_outer){address, chain};
      samples->outer_count = i + 1;
    }
    chain = known->chain;
  }
  return chain;
}

/* Adds a sample, and makes the chain of its callers. */
const char *samples_add(struct samples *samples,
                        const struct sample_taken *taken) {
  if (!taken->depth || !taken->count)
    return NULL;
  uint32_t chain = chain_of(samples, taken);
  if (chain == UINT32_MAX)
    return no_memory;
  uint64_t ra = taken->ra ? taken->ra - samples->offset : 0;
  if (taken->count > (UINT64_MAX >> 16) - samples->total)
    return "its counts add up to more than 48 bits hold; correct them";
  const struct sample sample = {taken->stack[0] - samples->offset, ra,
                                taken->count, chain};
  if (!fold_add(&samples->folded, &sample))
    return no_memory;
  samples->total += taken->count;
  return NULL;
}

const char *samples_finish(struct samples *samples) {
  if (!fold_finish(&samples->folded))
    return no_memory;
  samples->list = samples->folded.list;
  samples->count = samples->folded.count;
  samples->chains = (const void *)samples->caller_memory.data;
  return NULL;
}
