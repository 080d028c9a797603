/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A block is a chain: its begin, then places and calls in the order of lines.
 * The last of them leads to the begins of other blocks, through the places on
 * edges.
 */
#include "flags_inside.h"

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/ways.h"

/* While it is made. */
struct maker {
  struct ways *ways;
  const struct body *body;
  uint32_t *by_line; /* places, in the order of lines, then of edges */
  size_t place_count;
};

/* ---- nodes ---- */

/* The node of a place, or of none. A flag that may not be dropped, and that no
 * other follows from, is as none. */
static const char *add_node(struct maker *maker, uint32_t place, bool call) {
  const struct flag_place *at =
      place == WAY_NONE ? NULL : body_places(maker->body) + place;
  if (!at || !at->function->follows)
    return ways_add(maker->ways, WAY_NONE, 0, call);
  const struct differences *list = &maker->body->reader->list;
  uint32_t group = (uint32_t)(at->function - differences_at(list, 1));
  return ways_add(maker->ways, place, group, call);
}

/* A node behind the last one. */
static const char *add_behind(struct maker *maker, uint32_t place, bool call) {
  uint32_t last = maker->ways->count - 1;
  const char *error = add_node(maker, place, call);
  return error ? error : ways_arc(maker->ways, last, last + 1);
}

static const struct flag_place *place_at(const struct maker *maker,
                                         size_t order) {
  return &body_places(maker->body)[maker->by_line[order]];
}

/* Adds the nodes of a block, and takes its places. */
static const char *add_block(struct maker *maker, const struct cfg_block *block,
                             size_t *order) {
  const struct body *body = maker->body;
  const char *error = add_node(maker, WAY_NONE, false);
  while (*order < maker->place_count &&
         place_at(maker, *order)->line < block->begin)
    ++*order;
  for (size_t i = block->begin; i < block->end && !error; i++) {
    while (*order < maker->place_count && !error &&
           place_at(maker, *order)->line == i)
      error = add_behind(maker, maker->by_line[(*order)++], false);
    if (!error && quiet_is_call(&body->reader->quiet, body->cfg.lines[i]))
      error = add_behind(maker, WAY_NONE, true);
  }
  return error;
}

/* Adds the places on an edge, from the last node of its block on. */
static const char *add_edge(struct maker *maker, size_t edge, uint32_t from,
                            uint32_t to, size_t *order) {
  const char *error = NULL;
  while (*order < maker->place_count && !error &&
         place_at(maker, *order)->edge == edge) {
    error = add_node(maker, maker->by_line[(*order)++], false);
    if (!error)
      error = ways_arc(maker->ways, from, maker->ways->count - 1);
    from = maker->ways->count - 1;
  }
  return error ? error : ways_arc(maker->ways, from, to);
}

static const char *add_all(struct maker *maker) {
  const struct cfg *cfg = &maker->body->cfg;
  uint32_t *begins = calloc(2 * cfg->block_count, sizeof *begins);
  const char *error = begins ? NULL : out_of_memory;
  size_t order = 0;
  for (size_t i = 0; i < cfg->block_count && !error; i++) {
    begins[2 * i] = maker->ways->count;
    error = add_block(maker, cfg_blocks(cfg) + i, &order);
    begins[2 * i + 1] = maker->ways->count - 1;
  }
  while (order < maker->place_count &&
         place_at(maker, order)->line != SIZE_MAX)
    order++;
  for (size_t i = 0; i < cfg->edge_count && !error; i++) {
    const struct cfg_edge *edge = cfg_edges(cfg) + i;
    error = add_edge(maker, i, begins[2 * edge->from + 1],
                     begins[2 * edge->to], &order);
  }
  free(begins);
  return error;
}

/* ---- all ---- */

struct key {
  size_t line, edge;
  uint32_t place;
};

ORDER_BY(by_line, struct key, x->line, x->edge, x->place);

static const char *sort_places(struct maker *maker) {
  size_t count = maker->place_count;
  struct key *keys = malloc((count + 1) * sizeof *keys);
  maker->by_line = malloc((count + 1) * sizeof *maker->by_line);
  if (keys && maker->by_line) {
    for (size_t i = 0; i < count; i++) {
      const struct flag_place *place = body_places(maker->body) + i;
      keys[i] = (struct key){place->line, place->edge, (uint32_t)i};
    }
    qsort(keys, count, sizeof *keys, by_line);
    for (size_t i = 0; i < count; i++)
      maker->by_line[i] = keys[i].place;
  }
  free(keys);
  return keys && maker->by_line ? NULL : out_of_memory;
}

/* The graph of a body in steps (flags_ways.c): places of flags, calls, and the
 * begins and ends of blocks. Returns NULL or the error. The caller calls
 * ways_free in both cases. */
static const char *ways_make(struct ways *ways, const struct body *body) {
  struct maker maker = {
      .ways = ways, .body = body, .place_count = body_place_count(body)};
  ways_begin(ways);
  const char *error = sort_places(&maker);
  if (!error)
    error = add_all(&maker);
  if (!error)
    error = ways_link(ways);
  free(maker.by_line);
  return error;
}

/* ---- dropping flags ----
 *
 * Drops flags by the rules of base/follow.c. The coverage mapping says what
 * they follow from.
 */

enum { PLACES_MOST = 1 << 14 };

static const char *drop(void *context, uint32_t number, const uint32_t *from,
                        size_t count) {
  struct body *body = context;
  struct flag_place *place = body_places(body) + number;
  const size_t dropped = number;
  const char *error = NULL;
  place->dropped = true;
  place->from = body->from.size / sizeof(size_t);
  for (size_t i = 0; i < count && !error; i++) {
    const size_t one = from[i];
    error = buffer_append(&body->from, &one, sizeof one);
  }
  place->last = body->from.size / sizeof(size_t);
  return error ? error : buffer_append(&body->drops, &dropped, sizeof dropped);
}

/* Whether some function may lose flags. Its mapping says what follows. */
static bool any_follows(const struct body *body) {
  bool any = false;
  for (size_t i = 0; i < body_place_count(body); i++) {
    struct differences_of *function = body_places(body)[i].function;
    function->follows = function->alone && function->mapping.size;
    any |= function->follows;
  }
  return any;
}

const char *flags_follow(struct body *body) {
  struct ways ways;
  if (body->reader->keeps || body_place_count(body) > PLACES_MOST ||
      !any_follows(body))
    return NULL;
  const char *error = ways_make(&ways, body);
  if (!error)
    error = follow_flags(&ways, drop, body);
  ways_free(&ways);
  return error;
}
