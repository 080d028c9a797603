/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the places in a function where byte counters (`flags`) are stored, for
 * those that are differences too; and drops those that others imply. The
 * control-flow graph from cfg.c comes in, byte_counters.c numbers and writes
 * the result.
 */
#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/map.h"
#include "../base/flow_graph.h"
#include "../base/need.h"
#include "byte_counters.h"

/* ==== Implied byte counters. base/implied_counters.c decides from a finer
 * control-flow graph. There a block is a chain: its beginning, then places and
 * calls in the order of lines. The last node of a chain leads to the beginnings
 * of other blocks, through the places on edges.
 *
 * With MC/DC, all paths through a decision meet in a block that only branches
 * on the decision's value. Where a path determines this value, it leads to one
 * side. */

/* The graph while it is built. */
struct graph_builder {
  struct flow_graph *ways;
  const struct counted_body *body;
  uint32_t *by_line; /* places, sorted by line, then by edge */
  size_t place_count;
  uint32_t *blocks; /* four nodes of each block: the first, the last, and those
                       of a path that is known to go to side 0 or 1; 0: none */
};

/* ---- decisions ---- */

/* Returns the value on which the block branches; empty: none. */
static struct text_part find_branch_value(const struct cfg *cfg,
                                          const struct cfg_block *block) {
  for (size_t i = block->begin; i < block->end; i++) {
    struct text_part line = cfg->lines[i];
    if (part_skip_word(&line, "  br i1 "))
      return text_cut_local(&line);
  }
  return (struct text_part){"", 0};
}

/* Reads the next "[ VALUE, %BLOCK ]" of a phi. */
static bool parse_phi_value(struct text_part *line, struct text_part *value,
                            struct text_part *block) {
  if (!part_skip_to(line, "[ "))
    return false;
  *value = *line;
  if (!part_skip_to(line, ", "))
    return false;
  value->size = (size_t)(line->at - value->at) - 2;
  *block = text_cut_local(line);
  part_cut_front(block, block->size > 0);
  return true;
}

static bool is_named_block(const struct cfg *cfg, struct text_part name) {
  for (size_t i = 0; i < cfg->block_count; i++)
    if (part_equals(cfg_blocks(cfg)[i].name, name))
      return true;
  return false;
}

/* If the block branches on a phi, returns the value that the phi has when
 * control comes from `from`. The text does not name the first block. */
static struct text_part find_phi_value(const struct cfg *cfg,
                                       const struct cfg_block *block,
                                       const struct cfg_block *from) {
  struct text_part choice = find_branch_value(cfg, block), value, name;
  for (size_t i = block->begin; i < block->end && choice.size; i++) {
    struct text_part line = cfg->lines[i];
    if (!part_skip_word(&line, "  ") ||
        !part_equals(text_cut_local(&line), choice) ||
        !part_skip_word(&line, " = phi i1 "))
      continue;
    while (parse_phi_value(&line, &value, &name))
      if (from->name.size ? part_equals(name, from->name)
                          : !is_named_block(cfg, name))
        return value;
  }
  return (struct text_part){"", 0};
}

/* Returns the side (0 or 1) to which the value leads after this edge. The side
 * is known if the edge's branch was on the same value; otherwise returns 2. */
static size_t find_side_by_value(const struct cfg *cfg, struct text_part value,
                                 size_t edge) {
  const struct cfg_block *from = cfg_blocks(cfg) + cfg_edges(cfg)[edge].from;
  return value.size && part_equals(find_branch_value(cfg, from), value)
             ? edge - from->edges
             : 2;
}

static size_t find_known_side(const struct cfg *cfg, size_t edge) {
  const struct cfg_edge *at = cfg_edges(cfg) + edge;
  const struct cfg_block *from = cfg_blocks(cfg) + at->from;
  struct text_part value = find_phi_value(cfg, cfg_blocks(cfg) + at->to, from);
  size_t before = SIZE_MAX;
  if (part_starts_with(value, "true") || part_starts_with(value, "false"))
    return part_starts_with(value, "false");
  if (!value.size || from->last - from->edges > 1)
    return find_side_by_value(cfg, value, edge);
  for (size_t i = 0; i < cfg->edge_count; i++)
    if (cfg_edges(cfg)[i].to == at->from) {
      if (before != SIZE_MAX)
        return 2;
      before = i;
    }
  return before == SIZE_MAX ? 2 : find_side_by_value(cfg, value, before);
}

/* ---- nodes ---- */

/* Adds the node of a place, or a node without a place. Places of functions that
 * may not lose byte counters get a node without a place. */
static void add_node(struct graph_builder *maker, uint32_t place, bool call) {
  const struct byte_counter_place *at =
      place == FLOW_NONE ? NULL : body_places(maker->body) + place;
  bool follows = at && at->function->follows;
  const struct module_functions *list = &maker->body->reader->list;
  flow_graph_add_node(
      maker->ways, follows ? place : FLOW_NONE,
      follows ? (uint32_t)(at->function - expressions_function_at(list, 1)) : 0,
      call);
}

/* Adds a node after the last node, with an arc. */
static void append_node(struct graph_builder *maker, uint32_t place,
                        bool call) {
  uint32_t last = maker->ways->count - 1;
  add_node(maker, place, call);
  flow_graph_add_edge(maker->ways, last, last + 1);
}

static const struct byte_counter_place *
sorted_place(const struct graph_builder *maker, size_t order) {
  return &body_places(maker->body)[maker->by_line[order]];
}

/* Adds the nodes of a block. *order: the next place in by_line. */
static void add_block_nodes(struct graph_builder *maker,
                            const struct cfg_block *block, size_t *order) {
  const struct counted_body *body = maker->body;
  add_node(maker, FLOW_NONE, false);
  while (*order < maker->place_count &&
         sorted_place(maker, *order)->line < block->begin)
    ++*order;
  for (size_t i = block->begin; i < block->end; i++) {
    while (*order < maker->place_count &&
           sorted_place(maker, *order)->line == i)
      append_node(maker, maker->by_line[(*order)++], false);
    if (call_effects_may_leave(&body->reader->quiet, body->cfg.lines[i]))
      append_node(maker, FLOW_NONE, true);
  }
}

/* Adds the two nodes for paths through a block that only branches. */
static void add_side_nodes(struct graph_builder *maker,
                           const struct cfg_block *block, uint32_t nodes[4]) {
  if (nodes[0] != nodes[1] || block->last - block->edges != 2 ||
      !find_branch_value(&maker->body->cfg, block).size)
    return;
  nodes[2] = maker->ways->count;
  nodes[3] = nodes[2] + 1;
  add_node(maker, FLOW_NONE, false);
  add_node(maker, FLOW_NONE, false);
}

/* Adds the nodes of the places on an edge, after the last node of its block. */
static void add_edge_nodes(struct graph_builder *maker, size_t edge,
                           size_t *order) {
  const struct cfg *cfg = &maker->body->cfg;
  const struct cfg_edge *at = cfg_edges(cfg) + edge;
  const uint32_t *from = maker->blocks + 4 * at->from;
  const uint32_t *to = maker->blocks + 4 * at->to;
  size_t side = to[2] ? find_known_side(cfg, edge) : 2;
  uint32_t first = maker->ways->count, goal = to[side < 2 ? 2 + side : 0];
  while (*order < maker->place_count &&
         sorted_place(maker, *order)->edge == edge) {
    add_node(maker, maker->by_line[(*order)++], false);
    if (maker->ways->count - first > 1)
      flow_graph_add_edge(maker->ways, maker->ways->count - 2,
                          maker->ways->count - 1);
  }
  if (maker->ways->count > first) {
    flow_graph_add_edge(maker->ways, maker->ways->count - 1, goal);
    goal = first;
  }
  flow_graph_add_edge(maker->ways, from[1], goal);
  side = edge - cfg_blocks(cfg)[at->from].edges;
  if (from[2])
    flow_graph_add_edge(maker->ways, from[2 + side], goal);
}

static void build_graph(struct graph_builder *maker) {
  const struct cfg *cfg = &maker->body->cfg;
  size_t order = 0;
  maker->blocks =
      need_memory(calloc(4 * cfg->block_count + 1, sizeof *maker->blocks));
  for (size_t i = 0; i < cfg->block_count; i++) {
    uint32_t *nodes = maker->blocks + 4 * i;
    nodes[0] = maker->ways->count;
    add_block_nodes(maker, cfg_blocks(cfg) + i, &order);
    nodes[1] = maker->ways->count - 1;
    add_side_nodes(maker, cfg_blocks(cfg) + i, nodes);
  }
  while (order < maker->place_count &&
         sorted_place(maker, order)->line != SIZE_MAX)
    order++;
  for (size_t i = 0; i < cfg->edge_count; i++)
    add_edge_nodes(maker, i, &order);
  free(maker->blocks);
}

/* ---- all ---- */

struct place_key {
  size_t line, edge;
  uint32_t place;
};

ORDER_BY(compare_place_keys, struct place_key, x->line, x->edge, x->place);

static void sort_places(struct graph_builder *maker) {
  size_t count = maker->place_count;
  struct place_key *keys = need_memory(malloc((count + 1) * sizeof *keys));
  maker->by_line = need_memory(malloc((count + 1) * sizeof *maker->by_line));
  for (size_t i = 0; i < count; i++) {
    const struct byte_counter_place *place = body_places(maker->body) + i;
    keys[i] = (struct place_key){place->line, place->edge, (uint32_t)i};
  }
  qsort(keys, count, sizeof *keys, compare_place_keys);
  for (size_t i = 0; i < count; i++)
    maker->by_line[i] = keys[i].place;
  free(keys);
}

/* Builds the control-flow graph of places, calls, and the beginnings and ends
 * of blocks. */
static void build_places_graph(struct flow_graph *ways,
                               const struct counted_body *body) {
  struct graph_builder maker = {
      .ways = ways, .body = body, .place_count = body_place_count(body)};
  flow_graph_begin(ways);
  sort_places(&maker);
  build_graph(&maker);
  flow_graph_complete(ways);
  free(maker.by_line);
}

/* ---- dropping ----
 *
 * Drops the places that base/implied_counters.c finds implied. byte_counters.c
 * writes into the coverage mapping which ones imply them. */

enum { PLACES_MOST = 1 << 14 };

static const char *drop_place(void *context, uint32_t number,
                              const uint32_t *from, size_t count) {
  struct counted_body *body = context;
  struct byte_counter_place *place = body_places(body) + number;
  const size_t dropped = number;
  const char *error = NULL;
  place->dropped = true;
  place->from = body->from.size / sizeof(size_t);
  for (size_t i = 0; i < count && !error; i++) {
    const size_t one = from[i];
    error = buffer_append_bytes(&body->from, &one, sizeof one);
  }
  place->last = body->from.size / sizeof(size_t);
  return error ? error
               : buffer_append_bytes(&body->drops, &dropped, sizeof dropped);
}

/* Whether any function may lose byte counters. One with its own mapping may:
 * the mapping says what implies them. */
static bool mark_reducible_functions(const struct counted_body *body) {
  bool any = false;
  for (size_t i = 0; i < body_place_count(body); i++) {
    struct function_counters *function = body_places(body)[i].function;
    function->follows = function->alone && function->mapping.size;
    any |= function->follows;
  }
  return any;
}

const char *byte_drop_implied(struct counted_body *body) {
  struct flow_graph ways;
  if (body->reader->keeps || body_place_count(body) > PLACES_MOST ||
      !mark_reducible_functions(body))
    return NULL;
  build_places_graph(&ways, body);
  const char *error = implied_counters_drop(&ways, drop_place, body);
  flow_graph_free(&ways);
  return error;
}

/* ==== Places of byte counters. */

enum { RUN_MOST = 64, TRIES_MOST = 1 << 24 };

/* Sets the number of each counter: the sum of all blocks that increment it. */
static const char *sum_counter_numbers(struct counted_body *body,
                                       const struct intrinsic_call *of,
                                       uint64_t *values) {
  memset(values, 0, of->counters * sizeof *values);
  for (size_t i = 0; i < body->cfg.block_count; i++) {
    const struct cfg_block *block = cfg_blocks(&body->cfg) + i;
    struct intrinsic_call call;
    for (size_t k = block->begin; k < block->end; k++)
      if (call_parse_increment(body->cfg.lines[k], &call) &&
          part_equals(call.function, of->function)) {
        if (call.counters != of->counters || call.index >= of->counters)
          return byte_counters_unknown;
        values[call.index] += block->number;
      }
  }
  return NULL;
}

/* Adds a place unless the list has it, and the use of it for the call's
 * index. */
static const char *add_place(struct counted_body *body,
                             struct byte_counter_place place) {
  uint64_t *at =
      map_find_or_add(&body->known, expressions_name_key(place.call.function),
                      2 * place.line + place.own, place.edge);
  const char *error = at ? NULL : out_of_memory;
  if (!error && !*at) {
    place.function = byte_find_function(body->reader, &place.call);
    error = buffer_append_bytes(&body->places, &place, sizeof place);
    *at = body_place_count(body);
  }
  if (error)
    return error;
  struct byte_counter_use use = {(size_t)*at - 1, place.call.index};
  return buffer_append_bytes(&body->uses, &use, sizeof use);
}

/* ---- numbers ---- */

/* What can have a number: a block, an edge, all edges of a block except those
 * to one other block, or a run of edges to one block. The edges of one part of
 * a condition are adjacent. */
enum shape { BLOCK, EDGE, OTHERS, RUN };

/* Stores which block, edge or edges have the number. If several of one shape
 * have it, the first stays. */
static const char *remember_number(struct counted_body *body, uint64_t number,
                                   enum shape shape, const size_t what[2]) {
  uint64_t *at = map_find_or_add(&body->numbers, number, shape, 0);
  if (at && !*at)
    *at = (uint64_t)what[0] << 32 | (what[1] + 1);
  return at ? NULL : out_of_memory;
}

static bool find_number(const struct counted_body *body, uint64_t number,
                        enum shape shape, size_t what[2]) {
  const uint64_t *at = map_find(&body->numbers, number, shape, 0);
  if (at) {
    what[0] = (size_t)(*at >> 32);
    what[1] = (size_t)(*at & UINT32_MAX) - 1;
  }
  return at != NULL;
}

/* Returns the sum of the edges between two blocks. */
static uint64_t sum_edges_to(const struct cfg *cfg,
                             const struct cfg_block *from, size_t to) {
  uint64_t number = 0;
  for (size_t i = from->edges; i < from->last; i++)
    if (cfg_edges(cfg)[i].to == to)
      number += cfg_edges(cfg)[i].number;
  return number;
}

/* Adds the numbers of a switch that does not go to one of its blocks. */
static const char *remember_other_edges(struct counted_body *body,
                                        size_t number) {
  const struct cfg_block *block = cfg_blocks(&body->cfg) + number;
  const char *error = NULL;
  if (block->last - block->edges < 3 ||
      !cfg_edges(&body->cfg)[block->edges].splits)
    return NULL;
  for (size_t i = block->edges; i < block->last && !error; i++) {
    const size_t what[2] = {number, cfg_edges(&body->cfg)[i].to};
    error = remember_number(
        body, block->number - sum_edges_to(&body->cfg, block, what[1]), OTHERS,
        what);
  }
  return error;
}

static const struct cfg_edge *edge_by_target(const struct counted_body *body,
                                             size_t order) {
  return cfg_edges(&body->cfg) + ((const size_t *)body->in.data)[order];
}

static const char *remember_edge_runs(struct counted_body *body, size_t first) {
  const char *error = NULL;
  uint64_t sum = 0;
  for (size_t i = first;
       i < body->cfg.edge_count && i - first < RUN_MOST && !error; i++) {
    const struct cfg_edge *edge = edge_by_target(body, i);
    const size_t what[2] = {first, i - first + 1};
    if (edge->to != edge_by_target(body, first)->to || !edge->splits)
      break;
    error = remember_number(body, sum += edge->number, RUN, what);
  }
  return error;
}

static const char *remember_all_numbers(struct counted_body *body) {
  const struct cfg *cfg = &body->cfg;
  const char *error = NULL;
  for (size_t i = 0; i < cfg->block_count && !error; i++) {
    const size_t what[2] = {cfg_blocks(cfg)[i].place, 0};
    error = remember_number(body, cfg_blocks(cfg)[i].number, BLOCK, what);
    if (!error)
      error = remember_other_edges(body, i);
  }
  for (size_t i = 0; i < cfg->edge_count && !error; i++) {
    const size_t what[2] = {i, 0};
    if (cfg_edges(cfg)[i].splits)
      error = remember_number(body, cfg_edges(cfg)[i].number, EDGE, what);
    if (!error)
      error = remember_edge_runs(body, i);
  }
  return error;
}

/* ---- places of numbers ---- */

static const char *add_edge_place(struct counted_body *body,
                                  const struct intrinsic_call *call,
                                  size_t edge) {
  const struct byte_counter_place place = {
      .line = SIZE_MAX, .edge = edge, .call = *call};
  return add_place(body, place);
}

static const char *add_other_edge_places(struct counted_body *body,
                                         const struct intrinsic_call *call,
                                         const size_t what[2]) {
  const struct cfg_block *from = cfg_blocks(&body->cfg) + what[0];
  const char *error = NULL;
  for (size_t i = from->edges; i < from->last && !error; i++)
    if (cfg_edges(&body->cfg)[i].to != what[1])
      error = add_edge_place(body, call, i);
  return error;
}

static const char *add_run_places(struct counted_body *body,
                                  const struct intrinsic_call *call,
                                  const size_t what[2]) {
  const size_t *in = (const size_t *)body->in.data;
  const char *error = NULL;
  for (size_t i = 0; i < what[1] && !error; i++)
    error = add_edge_place(body, call, in[what[0] + i]);
  return error;
}

/* Adds the places for a number. Returns false if nothing has the number. */
static bool place_number(struct counted_body *body,
                         const struct intrinsic_call *call, uint64_t number,
                         const char **error) {
  size_t what[2];
  if (find_number(body, number, BLOCK, what)) {
    const struct byte_counter_place place = {.line = what[0], .call = *call};
    *error = add_place(body, place);
  } else if (find_number(body, number, EDGE, what)) {
    *error = add_edge_place(body, call, what[0]);
  } else if (find_number(body, number, OTHERS, what)) {
    *error = add_other_edge_places(body, call, what);
  } else if (find_number(body, number, RUN, what)) {
    *error = add_run_places(body, call, what);
  } else {
    return false;
  }
  return true;
}

/* Adds the places for a number that is the sum of two, one of them a run's. */
static bool place_two_sum(struct counted_body *body,
                          const struct intrinsic_call *call, uint64_t number,
                          const char **error) {
  for (size_t i = 0; i < body->cfg.edge_count; i++) {
    size_t what[2] = {i, 0};
    uint64_t sum = 0;
    while (i + what[1] < body->cfg.edge_count && what[1] < RUN_MOST) {
      const struct cfg_edge *edge = edge_by_target(body, i + what[1]++);
      sum += edge->number;
      if (edge->to != edge_by_target(body, i)->to || !edge->splits ||
          body->tries++ > TRIES_MOST)
        break;
      if (number == sum || !place_number(body, call, number - sum, error))
        continue;
      *error = *error ? *error : add_run_places(body, call, what);
      return true;
    }
  }
  return false;
}

/* If code leaves in the middle of an expression, the mapping's difference also
 * counts what comes after it, because clang subtracts what continues. Such a
 * number is the sum of two or three places. */
static bool place_number_sum(struct counted_body *body,
                             const struct intrinsic_call *call, uint64_t number,
                             const char **error) {
  if (place_two_sum(body, call, number, error))
    return true;
  for (size_t i = 0; i < body->cfg.edge_count; i++) {
    const struct cfg_edge *edge = cfg_edges(&body->cfg) + i;
    if (!edge->splits || !edge->number ||
        !place_two_sum(body, call, number - edge->number, error))
      continue;
    *error = *error ? *error : add_edge_place(body, call, i);
    return true;
  }
  return false;
}

/* clang counts an endless loop as if control continued after it. Such a number
 * is a place's number plus those of edges into endless loops that are adjacent
 * in the source. */
static bool place_endless_sum(struct counted_body *body,
                              const struct intrinsic_call *call,
                              uint64_t number, const char **error) {
  const size_t *into = (const size_t *)body->into.data;
  size_t count = body->into.size / sizeof *into;
  const struct cfg_edge *edges = cfg_edges(&body->cfg);
  for (size_t first = 0; first < count; first++) {
    uint64_t rest = number;
    for (size_t last = first; last < count; last++) {
      rest -= edges[into[last]].number;
      if (body->tries++ > TRIES_MOST)
        return false;
      if (!place_number(body, call, rest, error))
        continue;
      for (size_t i = first; i <= last && !*error; i++)
        place_number(body, call, edges[into[i]].number, error);
      return true;
    }
  }
  return false;
}

/* ---- all ---- */

/* Lists the edges into endless loops: from blocks with a path to the function's
 * end to blocks without one. */
static const char *list_endless_edges(struct counted_body *body) {
  const struct cfg *cfg = &body->cfg;
  const struct cfg_edge *edges = cfg_edges(cfg);
  bool *ends = calloc(cfg->block_count + 1, sizeof *ends), more = ends != NULL;
  const char *error = ends ? NULL : out_of_memory;
  while (more) {
    more = false;
    for (size_t i = cfg->block_count; i--;) {
      const struct cfg_block *block = cfg_blocks(cfg) + i;
      bool now = block->edges == block->last || block->traps;
      for (size_t k = block->edges; k < block->last; k++)
        now |= ends[edges[k].to];
      more |= now && !ends[i];
      ends[i] |= now;
    }
  }
  for (size_t i = 0; i < cfg->edge_count && !error; i++)
    if (ends[edges[i].from] && !ends[edges[i].to])
      error = buffer_append_bytes(&body->into, &i, sizeof i);
  free(ends);
  return error;
}

/* Lists the edges, sorted by the blocks to which they lead. */
static const char *sort_edges_by_target(struct counted_body *body) {
  const struct cfg *cfg = &body->cfg;
  size_t *begin = calloc(cfg->block_count + 1, sizeof *begin), sum = 0;
  size_t *in = malloc((cfg->edge_count + 1) * sizeof *in);
  for (size_t i = 0; begin && i < cfg->edge_count; i++)
    begin[cfg_edges(cfg)[i].to]++;
  for (size_t i = 0; begin && i < cfg->block_count; i++)
    begin[i] = sum += begin[i];
  for (size_t i = cfg->edge_count; begin && in && i--;)
    in[--begin[cfg_edges(cfg)[i].to]] = i;
  const char *error = out_of_memory;
  if (begin && in)
    error = buffer_append_bytes(&body->in, in, cfg->edge_count * sizeof *in);
  free(begin);
  free(in);
  return error;
}

/* The values of a function's counters and expressions. */
struct function_values {
  const struct function_counters *function;
  uint64_t *plain, *sums;
};

/* Adds the places for a difference. If a sum is at no single place, its
 * operands are placed instead. */
static const char *place_difference(struct counted_body *body,
                                    const struct intrinsic_call *call,
                                    const struct function_values *counted,
                                    const struct difference *difference) {
  uint64_t todo[DIFFERENCE_PARTS] = {difference->counter}, counter;
  const char *error = NULL;
  for (size_t count = 1; count && !error;) {
    counter = todo[--count];
    uint64_t number = expressions_counter_value(counted->function, counter,
                                                counted->plain, counted->sums);
    if (!number || place_number(body, call, number, &error))
      continue;
    if (count + 2 <= DIFFERENCE_PARTS &&
        expressions_sum_operands(counted->function, counter, todo + count))
      count += 2;
    else if (!place_endless_sum(body, call, number, &error) &&
             !place_number_sum(body, call, number, &error) && difference->wide)
      error = "a coverage region has no matching block in the code; compile "
              "without --counters=byte, or leave this source out with --ignore";
  }
  return error;
}

static const char *place_differences(struct counted_body *body,
                                     struct intrinsic_call call) {
  struct function_counters *function = byte_find_function(body->reader, &call);
  struct function_values counted = {.function = function};
  counted.plain = calloc(call.counters + 1, sizeof *counted.plain);
  if (!counted.plain)
    return out_of_memory;
  const char *error = sum_counter_numbers(body, &call, counted.plain);
  counted.sums = expressions_evaluate(function, counted.plain);
  if (!counted.sums)
    error = out_of_memory;
  call.rest = (struct text_part){")", 1};
  for (size_t i = 0; i < function->count && !error; i++) {
    call.index = call.counters + i;
    error = place_difference(body, &call, &counted, &function->list[i]);
  }
  free(counted.plain);
  free(counted.sums);
  return error;
}

/* A body may have counters of several functions: inlined initialisers. */
const char *byte_place_counters(struct counted_body *body) {
  struct map done = {.limit = BYTE_COUNTERS_MOST};
  const char *error = sort_edges_by_target(body);
  if (!error)
    error = list_endless_edges(body);
  if (!error)
    error = remember_all_numbers(body);
  for (size_t i = 0; i < body->cfg.line_count && !error; i++) {
    struct byte_counter_place place = {.line = i, .own = true};
    if (!call_parse_increment(body->cfg.lines[i], &place.call))
      continue;
    /* A step that add_step rewrote has not been checked yet. */
    const struct function_counters *function =
        byte_find_function(body->reader, &place.call);
    if (!function || function->counters != place.call.counters) {
      error = byte_counters_unknown;
      break;
    }
    uint64_t *at =
        map_find_or_add(&done, expressions_name_key(place.call.function), 0, 0);
    if (!at)
      error = out_of_memory;
    else if (!(*at)++)
      error = place_differences(body, place.call);
    if (!error)
      error = add_place(body, place);
  }
  map_free(&done);
  return error;
}
