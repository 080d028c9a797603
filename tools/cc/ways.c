/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A block is a chain: its begin, then places and calls in the order of lines.
 * The last of them leads to the begins of other blocks, through the places on
 * edges.
 */
#include "ways.h"

#include "../base/compare.h"

struct arc {
  uint32_t from, to;
};

/* While it is made. */
struct maker {
  struct ways *ways;
  const struct body *body;
  struct buffer nodes, arcs;
  uint32_t *by_line; /* places, in the order of lines, then of edges */
  size_t place_count;
};

/* ---- nodes ---- */

static const char *add_node(struct maker *maker, uint32_t place, bool call) {
  struct way_node node = {
      .place = place, .call = call, .dominator = WAY_NONE};
  if (place != WAY_NONE)
    maker->ways->of_place[place] = maker->ways->count;
  maker->ways->count++;
  return buffer_add(&maker->nodes, &node, sizeof node);
}

static const char *add_arc(struct maker *maker, uint32_t from, uint32_t to) {
  struct arc arc = {from, to};
  return buffer_add(&maker->arcs, &arc, sizeof arc);
}

/* A node behind the last one. */
static const char *add_behind(struct maker *maker, uint32_t place, bool call) {
  uint32_t last = maker->ways->count - 1;
  const char *error = add_node(maker, place, call);
  return error ? error : add_arc(maker, last, last + 1);
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
      error = add_arc(maker, from, maker->ways->count - 1);
    from = maker->ways->count - 1;
  }
  return error ? error : add_arc(maker, from, to);
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

/* ---- arcs ---- */

/* Sorts arcs by both ends. */
static const char *sort_arcs(struct maker *maker) {
  struct ways *ways = maker->ways;
  const struct arc *arcs = (const struct arc *)maker->arcs.data;
  size_t count = maker->arcs.size / sizeof *arcs;
  ways->next = malloc((count + 1) * sizeof *ways->next);
  ways->before = malloc((count + 1) * sizeof *ways->before);
  if (!ways->next || !ways->before)
    return out_of_memory;
  struct way_node *nodes = ways->nodes;
  for (size_t i = 0; i < count; i++) {
    nodes[arcs[i].from].out++;
    nodes[arcs[i].to].in++;
  }
  uint32_t out = 0, in = 0;
  for (uint32_t i = 0; i <= ways->count; i++) {
    nodes[i].out = out += nodes[i].out;
    nodes[i].in = in += nodes[i].in;
  }
  for (size_t i = count; i--;) {
    ways->next[--nodes[arcs[i].from].out] = arcs[i].to;
    ways->before[--nodes[arcs[i].to].in] = arcs[i].from;
  }
  return NULL;
}

/* ---- dominators ---- */

/* Lists the nodes that can be reached, each behind one that leads to it, except
 * where arcs lead back. Returns how many. */
static uint32_t order_nodes(struct ways *ways, uint32_t *list, uint32_t *at) {
  uint32_t depth = 0, left = ways->count;
  uint32_t *stack = list; /* grows from the front, the list from the back */
  stack[depth++] = 0;
  ways->nodes[0].dominator = 0;
  at[0] = ways->nodes[0].out;
  while (depth) {
    uint32_t node = stack[depth - 1];
    if (at[node] == ways->nodes[node + 1].out) {
      depth--;
      list[--left] = node;
      continue;
    }
    uint32_t next = ways->next[at[node]++];
    if (ways->nodes[next].dominator != WAY_NONE)
      continue;
    ways->nodes[next].dominator = 0;
    at[next] = ways->nodes[next].out;
    stack[depth++] = next;
  }
  return left;
}

static uint32_t common(const struct way_node *nodes, uint32_t a, uint32_t b) {
  while (a != b) {
    while (nodes[a].order > nodes[b].order)
      a = nodes[a].dominator;
    while (nodes[b].order > nodes[a].order)
      b = nodes[b].dominator;
  }
  return a;
}

static bool improve(struct ways *ways, uint32_t node) {
  struct way_node *nodes = ways->nodes;
  uint32_t found = WAY_NONE;
  for (uint32_t i = nodes[node].in; i < nodes[node + 1].in; i++) {
    uint32_t from = ways->before[i];
    if (nodes[from].dominator != WAY_NONE)
      found = found == WAY_NONE ? from : common(nodes, from, found);
  }
  bool better = nodes[node].dominator != found;
  nodes[node].dominator = found;
  return better;
}

static const char *find_dominators(struct ways *ways) {
  uint32_t *list = malloc((ways->count + 1) * sizeof *list);
  uint32_t *at = malloc((ways->count + 1) * sizeof *at);
  const char *error = list && at ? NULL : out_of_memory;
  uint32_t first = error ? 0 : order_nodes(ways, list, at);
  for (uint32_t i = first; i < ways->count && !error; i++) {
    ways->nodes[list[i]].order = i;
    ways->nodes[list[i]].dominator = i == first ? 0 : WAY_NONE;
  }
  for (bool more = !error; more;) {
    more = false;
    for (uint32_t i = first + 1; i < ways->count; i++)
      more |= improve(ways, list[i]);
  }
  free(list);
  free(at);
  return error;
}

bool ways_dominate(const struct ways *ways, uint32_t first, uint32_t node) {
  while (ways->nodes[node].order > ways->nodes[first].order)
    node = ways->nodes[node].dominator;
  return node == first;
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

const char *ways_make(struct ways *ways, const struct body *body) {
  struct maker maker = {.ways = ways,
                        .body = body,
                        .nodes = {.limit = FLAGS_MOST},
                        .arcs = {.limit = FLAGS_MOST},
                        .place_count = body_place_count(body)};
  static const struct way_node last = {.place = WAY_NONE};
  size_t size = (maker.place_count + 1) * sizeof *ways->of_place;
  *ways = (struct ways){.of_place = malloc(size)};
  const char *error = ways->of_place ? sort_places(&maker) : out_of_memory;
  if (!error) {
    memset(ways->of_place, 0xFF, size);
    error = add_all(&maker);
  }
  if (!error)
    error = buffer_add(&maker.nodes, &last, sizeof last);
  ways->nodes = (struct way_node *)maker.nodes.data;
  if (!error)
    error = sort_arcs(&maker);
  if (!error)
    error = find_dominators(ways);
  buffer_free(&maker.arcs);
  free(maker.by_line);
  return error;
}

void ways_free(struct ways *ways) {
  free(ways->nodes);
  free(ways->next);
  free(ways->before);
  free(ways->of_place);
}
