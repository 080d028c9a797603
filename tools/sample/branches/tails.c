/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A search in the graph of tail calls, as llvm-profgen makes it.
 */
#include "flow.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/map.h"
#include "../../base/compare.h"
#include "../../base/error.h"

/* From a call (caller is 0), or from a jump of the function `caller`, to a
 * function. */
struct tail_jump {
  uint64_t caller, place, callee;
};

/* How many ways there are from a function to another one: none, or several. */
enum { WAYS_NONE = 1, WAYS_SEVERAL = 2, WAYS_ONE = 3 };

/* The functions whose jumps are being followed. */
struct tail_search {
  struct tails *tails;
  uint64_t to;
  uint64_t visiting[TAILS_MOST], path[TAILS_MOST];
  size_t depth, length;
};

/* A function's number: its parts, as cold code, have one. 0: no code. */
static uint64_t function_of(const struct program *program, uint64_t address) {
  const struct probes *probes = &program->probes;
  const struct probe_symbol *symbol = probes_symbol(probes, address);
  return symbol ? probes_owner(probes, symbol) : 0;
}

ORDER_BY(tails_by_place, struct tail_jump, x->caller, x->place, x->callee);

/* Each once, in order. */
static struct tail_jump *sorted_once(struct buffer *list, size_t *count) {
  struct tail_jump *tails = (void *)list->data;
  size_t all = list->size / sizeof *tails;
  *count = 0;
  sort(tails, all, sizeof *tails, tails_by_place);
  for (size_t i = 0; i < all; i++)
    if (!*count || tails_by_place(&tails[*count - 1], &tails[i]) != 0)
      tails[(*count)++] = tails[i];
  return tails;
}

static const char *take_jump(struct tails *tails, const struct map_entry *entry,
                             struct buffer lists[2]) {
  const struct listed *one =
      listing_at(&tails->program->listing, entry->key[0]);
  if (!one || (!one->call && !listed_jump(one)))
    return NULL;
  const bool call = one->call;
  const struct tail_jump tail = {
      call ? 0 : function_of(tails->program, entry->key[0]), entry->key[0],
      function_of(tails->program, entry->key[1])};
  if (!tail.callee || (!call && tail.callee == tail.caller))
    return NULL;
  if (!call && !map_at(&tails->targets, tail.callee, 0, 0))
    return out_of_memory;
  return buffer_append(&lists[!call], &tail, sizeof tail);
}

const char *tails_begin(struct tails *tails, struct program *program,
                        const struct flow *flow) {
  struct buffer lists[2] = {{.limit = (size_t)1 << 31},
                            {.limit = (size_t)1 << 31}};
  const char *error = NULL;
  *tails = (struct tails){.program = program,
                          .targets = {.limit = (size_t)1 << 24},
                          .known = {.limit = (size_t)1 << 24},
                          .paths = {.limit = (size_t)1 << 30},
                          .left = UINT64_C(1) << 28};
  for (const struct map_entry *jump = map_next(&flow->jumps, NULL);
       jump && !error; jump = map_next(&flow->jumps, jump))
    error = take_jump(tails, jump, lists);
  tails->calls = sorted_once(&lists[0], &tails->call_count);
  tails->jumps = sorted_once(&lists[1], &tails->jump_count);
  return error ? error : program->listing.error;
}

void tails_free(struct tails *tails) {
  free(tails->calls);
  free(tails->jumps);
  map_free(&tails->targets);
  map_free(&tails->known);
  buffer_free(&tails->paths);
}

/* ---- the search ---- */

static void keep_ways(struct tail_search *of, uint64_t from, unsigned ways,
                      size_t begin) {
  struct tails *tails = of->tails;
  uint64_t length = of->length - begin;
  uint64_t *known = map_at(&tails->known, from, of->to, 0);
  size_t at = tails->paths.size;
  if (!known)
    return;
  if (ways == 1 &&
      (buffer_append(&tails->paths, &length, sizeof length) ||
       buffer_append(&tails->paths, &of->path[begin], length * sizeof length)))
    return;
  *known = ways == 1 ? WAYS_ONE + at : ways ? WAYS_SEVERAL : WAYS_NONE;
}

/* Adds the path of a known pair. */
static unsigned recall_ways(struct tail_search *of, uint64_t known) {
  const struct tails *tails = of->tails;
  if (known < WAYS_ONE)
    return known == WAYS_NONE ? 0 : 2;
  const uint64_t *path = (const void *)(tails->paths.data + (known - WAYS_ONE));
  if (path[0] > TAILS_MOST - of->length)
    return 0;
  memcpy(&of->path[of->length], path + 1, path[0] * sizeof *path);
  of->length += path[0];
  return 1;
}

/* 0, 1, or several; of 1 the path is added. As deep as TAILS_MOST. */
static unsigned ways_from(struct tail_search *of, uint64_t from) {
  struct tails *tails = of->tails;
  const size_t begin = of->length;
  if (from == of->to)
    return 1;
  for (size_t i = 0; i < of->depth; i++)
    if (of->visiting[i] == from)
      return 0;
  const uint64_t *known = map_find(&tails->known, from, of->to, 0);
  if (known && *known)
    return recall_ways(of, *known);
  if (of->depth == TAILS_MOST || of->length == TAILS_MOST)
    return 0;
  size_t i = search_from(tails->jumps, tails->jump_count, caller, from);
  if (i == tails->jump_count || tails->jumps[i].caller != from)
    return 0;
  of->visiting[of->depth++] = from;
  unsigned ways = 0;
  uint64_t path[TAILS_MOST];
  size_t length = 0;
  for (; ways < 2 && i < tails->jump_count && tails->jumps[i].caller == from &&
         tails->left;
       i++, tails->left--) {
    of->length = begin;
    of->path[of->length++] = tails->jumps[i].place;
    unsigned more = ways_from(of, tails->jumps[i].callee);
    if (more == 1) {
      length = of->length - begin;
      memcpy(path, &of->path[begin], length * sizeof *path);
    }
    ways += more;
  }
  of->depth--;
  of->length = begin;
  if (ways == 1) {
    memcpy(&of->path[begin], path, length * sizeof *path);
    of->length += length;
  }
  keep_ways(of, from, ways, begin);
  return ways;
}

size_t tails_between(struct tails *tails, uint64_t call, uint64_t to,
                     uint64_t jumps[TAILS_MOST]) {
  struct tail_search search = {.tails = tails,
                               .to = function_of(tails->program, to)};
  size_t first = search_from(tails->calls, tails->call_count, place, call);
  size_t last = first, found = 0;
  unsigned ways = 0;
  for (; last < tails->call_count && tails->calls[last].place == call; last++)
    if (tails->calls[last].callee == search.to)
      return 0;
  if (!search.to || !map_find(&tails->targets, search.to, 0, 0))
    return 0;
  for (size_t i = first; i < last && ways < 2; i++) {
    search.length = 0;
    unsigned more = ways_from(&search, tails->calls[i].callee);
    if (more == 1) {
      found = search.length;
      memcpy(jumps, search.path, found * sizeof *jumps);
    }
    ways += more;
  }
  return ways == 1 ? found : 0;
}
