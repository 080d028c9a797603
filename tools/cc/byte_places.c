/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the places in a function where byte counters are stored, including byte
 * counters for differences. Drops the places whose byte counters are implied by
 * others. The control-flow graph comes from cfg.c; byte_counters.c numbers the
 * byte counters and writes the code.
 */
#include "../base/compare.h"
#include "../base/flow_graph.h"
#include "byte_counters.h"

/* ==== The next functions drop implied byte counters. base/implied_counters.c
 * decides from a finer control-flow graph. In this graph a block is a chain of
 * nodes: its beginning, then places and calls in the order of lines. The last
 * node of a chain leads to the beginnings of other blocks, through the places
 * on edges.
 *
 * With MC/DC, all paths through a decision meet in a block that only branches
 * on the decision's value. A path that determines the value leads to one of the
 * two sides. */

/* The nodes of a block in the flow graph: the first node, the last node, and
 * nodes for paths that are known to go to side 0 or 1. The value 0 means that
 * the block lacks this node. */
struct block_nodes {
  uint32_t first, last, sides[2];
};

/* The state of building the flow graph. */
struct place_graph_builder {
  struct flow_graph *graph;
  const struct function_body *body;
  struct place_key *places; /* the places, sorted by line, then by edge */
  size_t next;              /* the index of the place that comes next */
  struct block_nodes *blocks;
};

/* ---- decisions ---- */

/* Returns the value on which the block branches; an empty part if it does not
 * branch on a value. */
static struct text_part find_branch_value(const struct cfg *cfg,
                                          const struct cfg_block *block) {
  for (size_t i = block->begin; i < block->end; i++) {
    struct text_part line = cfg->lines[i];
    if (part_skip_word(&line, "  br i1 "))
      return text_cut_local(&line);
  }
  return (struct text_part){"", 0};
}

/* Parses the next "[ VALUE, %BLOCK ]" of a phi. */
static bool parse_phi_value(struct text_part *line, struct text_part *value,
                            struct text_part *block) {
  if (!part_skip_past(line, "[ "))
    return false;
  *value = *line;
  if (!part_skip_past(line, ", "))
    return false;
  value->size = (size_t)(line->at - value->at) - 2;
  *block = text_cut_local(line);
  part_cut_front(block, block->size > 0);
  return true;
}

static bool has_block_named(const struct cfg *cfg, struct text_part name) {
  for (size_t i = 0; i < cfg->block_count; i++)
    if (part_equals(cfg->blocks[i].name, name))
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
                          : !has_block_named(cfg, name))
        return value;
  }
  return (struct text_part){"", 0};
}

/* Returns the side (0 or 1) to which a branch on the value leads after this
 * edge. The side is known if the edge belongs to a branch on the same value;
 * otherwise the function returns 2. */
static size_t find_branch_side_by_value(const struct cfg *cfg,
                                        struct text_part value, size_t edge) {
  const struct cfg_block *from = &cfg->blocks[cfg->edges[edge].from];
  return value.size && part_equals(find_branch_value(cfg, from), value)
             ? edge - from->edges
             : 2;
}

static size_t find_branch_side_after_edge(const struct cfg *cfg, size_t edge) {
  const struct cfg_edge *at = &cfg->edges[edge];
  const struct cfg_block *from = &cfg->blocks[at->from];
  struct text_part value = find_phi_value(cfg, &cfg->blocks[at->to], from);
  size_t before = SIZE_MAX;
  if (part_starts_with(value, "true") || part_starts_with(value, "false"))
    return part_starts_with(value, "false");
  if (!value.size || from->last - from->edges > 1)
    return find_branch_side_by_value(cfg, value, edge);
  for (size_t i = 0; i < cfg->edge_count; i++)
    if (cfg->edges[i].to == at->from) {
      if (before != SIZE_MAX)
        return 2;
      before = i;
    }
  return before == SIZE_MAX ? 2 : find_branch_side_by_value(cfg, value, before);
}

/* ---- nodes ---- */

struct place_key {
  size_t line, edge;
  uint32_t place;
};

ORDER_BY(compare_place_keys, struct place_key, x->line, x->edge, x->place);

/* Adds a node for a place, or a node without a place. If a function may not
 * lose byte counters, its places get a node without a place, too. Returns the
 * node's number. */
static uint32_t add_graph_node(struct place_graph_builder *builder,
                               uint32_t place, bool call) {
  const struct byte_counter_place *at =
      place == FLOW_NONE ? NULL : &builder->body->places[place];
  bool may_drop = at && at->function->alone && at->function->sums;
  flow_graph_add_node(builder->graph, may_drop ? place : FLOW_NONE,
                      may_drop ? at->function->number : 0, call);
  return builder->graph->count - 1;
}

/* Adds a node, and an edge from the last node to this node. */
static void append_block_node(struct place_graph_builder *builder,
                              uint32_t place, bool call) {
  uint32_t node = add_graph_node(builder, place, call);
  flow_graph_add_edge(builder->graph, node - 1, node);
}

/* Removes and returns the next place if it is before this line, or on this
 * edge. Otherwise returns NULL. */
static const struct place_key *
pop_place_if_at(struct place_graph_builder *builder, size_t line, size_t edge) {
  const struct place_key *next = &builder->places[builder->next];
  bool is = builder->next < builder->body->place_count && next->line == line &&
            (line != SIZE_MAX || next->edge == edge);
  builder->next += is;
  return is ? next : NULL;
}

static void add_block_nodes(struct place_graph_builder *builder,
                            const struct cfg_block *block,
                            struct block_nodes *nodes) {
  const struct function_body *body = builder->body;
  const struct place_key *place;
  nodes->first = add_graph_node(builder, FLOW_NONE, false);
  while (builder->next < body->place_count &&
         builder->places[builder->next].line < block->begin)
    builder->next++;
  for (size_t i = block->begin; i < block->end; i++) {
    while ((place = pop_place_if_at(builder, i, 0)))
      append_block_node(builder, place->place, false);
    if (call_effects_may_not_return(&body->reader->effects, body->cfg.lines[i]))
      append_block_node(builder, FLOW_NONE, true);
  }
  nodes->last = builder->graph->count - 1;
  /* A block that only branches gets two more nodes, for the paths that are
   * known to go to one side. */
  if (nodes->first == nodes->last && block->last - block->edges == 2 &&
      find_branch_value(&body->cfg, block).size)
    for (unsigned side = 0; side < 2; side++)
      nodes->sides[side] = add_graph_node(builder, FLOW_NONE, false);
}

/* Adds the nodes for the places on an edge, after the last node of the edge's
 * block. */
static void add_edge_nodes(struct place_graph_builder *builder, size_t edge) {
  const struct cfg *cfg = &builder->body->cfg;
  const struct cfg_edge *at = &cfg->edges[edge];
  const struct block_nodes *from = &builder->blocks[at->from];
  const struct block_nodes *to = &builder->blocks[at->to];
  const struct place_key *place;
  size_t side = to->sides[0] ? find_branch_side_after_edge(cfg, edge) : 2;
  uint32_t first = builder->graph->count;
  uint32_t goal = side < 2 ? to->sides[side] : to->first;
  while ((place = pop_place_if_at(builder, SIZE_MAX, edge))) {
    uint32_t node = add_graph_node(builder, place->place, false);
    if (node > first)
      flow_graph_add_edge(builder->graph, node - 1, node);
  }
  if (builder->graph->count > first) {
    flow_graph_add_edge(builder->graph, builder->graph->count - 1, goal);
    goal = first;
  }
  flow_graph_add_edge(builder->graph, from->last, goal);
  if (from->sides[0])
    flow_graph_add_edge(builder->graph,
                        from->sides[edge - cfg->blocks[at->from].edges], goal);
}

/* Builds the control-flow graph of places, calls, and the beginnings and ends
 * of blocks. The places on edges, with the line SIZE_MAX, are sorted last. */
static void build_places_graph(struct place_graph_builder *builder) {
  const struct function_body *body = builder->body;
  const struct cfg *cfg = &body->cfg;
  size_t count = body->place_count;
  builder->places =
      cc_allocate(body->memory, (count + 1) * sizeof *builder->places);
  for (size_t i = 0; i < count; i++)
    builder->places[i] = (struct place_key){body->places[i].line,
                                            body->places[i].edge, (uint32_t)i};
  sort_array(builder->places, count, sizeof *builder->places,
             compare_place_keys);
  builder->blocks =
      cc_allocate(body->memory, cfg->block_count * sizeof *builder->blocks);
  for (size_t i = 0; i < cfg->block_count; i++)
    add_block_nodes(builder, &cfg->blocks[i], &builder->blocks[i]);
  while (builder->next < count &&
         builder->places[builder->next].line != SIZE_MAX)
    builder->next++;
  for (size_t i = 0; i < cfg->edge_count; i++)
    add_edge_nodes(builder, i);
}

/* ---- dropping ----
 *
 * Drops the places that are implied according to base/implied_counters.c.
 * byte_counters.c writes into the coverage mapping which places imply them. */

/* In a body with more places than PLACES_MOST, all places are kept. The mapping
 * stays, unless a place would need STORES_MOST stores on average: each case of
 * a switch would get a store for each other case. Then the mapping has sums of
 * the places' counters. */
enum { PLACES_MOST = 1 << 14, STORES_MOST = 4 };

static const char *mark_place_dropped(void *context, uint32_t number,
                                      const uint32_t *from, size_t count) {
  struct function_body *body = context;
  struct byte_counter_place *place = &body->places[number];
  uint32_t *copy = cc_allocate(body->memory, count * sizeof *copy + 1);
  memcpy(copy, from, count * sizeof *copy);
  place->dropped = true;
  place->from = copy;
  place->from_count = count;
  CC_APPEND(body->memory, body->drops, body->drop_count, number);
  return NULL;
}

/* Marks the functions whose mapping gets sums: the functions that may lose byte
 * counters and, with `all`, also functions that other objects may have. For
 * those, the sums depend only on the function's own code. Returns whether any
 * function may lose byte counters. */
static bool mark_functions_with_sums(const struct function_body *body,
                                     bool all) {
  bool any = false;
  for (size_t i = 0; i < body->place_count; i++) {
    struct function_counters *function = body->places[i].function;
    function->sums = function->mapping.size &&
                     (function->alone || (all && !function->scattered));
    any |= function->sums && function->alone;
  }
  return any;
}

struct implied_place_search {
  struct function_body *body;
  struct flow_graph graph;
};

static void build_graph_and_drop_places(void *context) {
  struct implied_place_search *search = context;
  struct place_graph_builder builder = {.graph = &search->graph,
                                        .body = search->body};
  build_places_graph(&builder);
  flow_graph_complete(&search->graph);
  raise_if_error(
      implied_counters_drop(&search->graph, mark_place_dropped, search->body));
}

void byte_drop_implied_places(struct function_body *body) {
  struct implied_place_search search = {.body = body};
  bool large = body->place_count > PLACES_MOST;
  bool many = body->store_most / STORES_MOST >= body->place_count;
  bool keeps = body->reader->result->keeps || large;
  if (keeps && !many)
    return;
  bool any = mark_functions_with_sums(body, many);
  if (!any || keeps)
    return;
  flow_graph_begin(&search.graph);
  const char *error = catch_error(build_graph_and_drop_places, &search);
  flow_graph_free(&search.graph);
  raise_if_error(error);
}

/* ==== The next functions choose the places of byte counters. */

/* The limits for the edges of a run, the sums that are tried in a body, and the
 * operands of a difference. */
enum { RUN_MOST = 64, TRIES_MOST = 1 << 24, DIFFERENCE_PARTS = 256 };

/* Returns the number of each counter, which is the sum of the numbers of all
 * blocks that increment the counter. */
static uint64_t *sum_counter_numbers(const struct function_body *body,
                                     const struct intrinsic_call *of) {
  uint64_t *values =
      cc_allocate(body->memory, (of->counters + 1) * sizeof *values);
  for (size_t i = 0; i < body->cfg.block_count; i++) {
    const struct cfg_block *block = &body->cfg.blocks[i];
    struct intrinsic_call call;
    for (size_t k = block->begin; k < block->end; k++) {
      if (!call_parse_increment(body->cfg.lines[k], &call) ||
          !part_equals(call.function, of->function))
        continue;
      if (call.counters != of->counters || call.index >= of->counters)
        raise_error(byte_counters_unknown);
      values[call.index] += block->number;
    }
  }
  return values;
}

static void note_place_use(struct function_body *body, size_t place,
                           uint64_t index) {
  struct byte_counter_use *last =
      body->use_count ? &body->uses[body->use_count - 1] : NULL;
  body->store_most++;
  if (last && last->index == index && last->place + last->count == place &&
      body->places[last->place].function == body->places[place].function)
    last->count++;
  else
    CC_APPEND(body->memory, body->uses, body->use_count,
              (struct byte_counter_use){place, 1, index});
}

/* Adds a place if the list does not have it yet. Also notes that the place is
 * stored for the counter with the call's index. */
static void add_counter_place(struct function_body *body,
                              struct byte_counter_place place) {
  size_t none = 0, line = 2 * place.line + place.own;
  size_t *last =
      place.line == SIZE_MAX ? &body->cfg.edges[place.edge].place : &none;
  if (!*last || !part_equals(body->places[*last - 1].call.function,
                             place.call.function)) {
    uint64_t *at = cc_map_find_or_add(
        &body->known, text_hash(place.call.function), line, place.edge);
    if (!*at) {
      place.function = expressions_find_function(&body->reader->check.functions,
                                                 place.call.function);
      CC_APPEND(body->memory, body->places, body->place_count, place);
      *at = body->place_count;
    }
    *last = (size_t)*at;
  }
  note_place_use(body, *last - 1, place.call.index);
}

/* ---- numbers ---- */

/* The shapes of code that can have a number: a block, an edge, all edges of a
 * block except those to one other block, or a run of edges to one block. The
 * edges of one part of a condition are adjacent. */
enum number_shape { BLOCK, EDGE, OTHERS, RUN };

/* Stores which block, edge or edges have the number. If several of one shape
 * have the same number, the first one is kept. */
static void remember_place_of_number(struct function_body *body,
                                     uint64_t number, enum number_shape shape,
                                     size_t first, size_t second) {
  uint64_t *at = cc_map_find_or_add(&body->numbers, number, shape, 0);
  if (!*at)
    *at = (uint64_t)first << 32 | (second + 1);
}

static bool find_places_of_number(const struct function_body *body,
                                  uint64_t number, enum number_shape shape,
                                  size_t what[2]) {
  const uint64_t *at = map_find(&body->numbers, number, shape, 0);
  if (at) {
    what[0] = (size_t)(*at >> 32);
    what[1] = (size_t)(*at & UINT32_MAX) - 1;
  }
  return at != NULL;
}

/* Returns the sum of the numbers of all edges from one block to another. */
static uint64_t sum_edge_numbers_to(const struct cfg *cfg,
                                    const struct cfg_block *from, size_t to) {
  uint64_t number = 0;
  for (size_t i = from->edges; i < from->last; i++)
    if (cfg->edges[i].to == to)
      number += cfg->edges[i].number;
  return number;
}

/* For a switch, stores the number of all edges except those to one of its
 * blocks, for each of these blocks. */
static void remember_edges_except_target(struct function_body *body,
                                         size_t number) {
  const struct cfg *cfg = &body->cfg;
  const struct cfg_block *block = &cfg->blocks[number];
  if (block->last - block->edges < 3 || !cfg->edges[block->edges].splits)
    return;
  for (size_t i = block->edges; i < block->last; i++) {
    size_t to = cfg->edges[i].to;
    remember_place_of_number(
        body, block->number - sum_edge_numbers_to(cfg, block, to), OTHERS,
        number, to);
  }
}

static const struct cfg_edge *
nth_edge_by_target(const struct function_body *body, size_t order) {
  return &body->cfg.edges[body->edges_by_target[order]];
}

static void remember_edge_sequences(struct function_body *body, size_t first) {
  uint64_t sum = 0;
  for (size_t i = first; i < body->cfg.edge_count && i - first < RUN_MOST;
       i++) {
    const struct cfg_edge *edge = nth_edge_by_target(body, i);
    if (edge->to != nth_edge_by_target(body, first)->to || !edge->splits)
      break;
    remember_place_of_number(body, sum += edge->number, RUN, first,
                             i - first + 1);
  }
}

static void remember_all_numbers(struct function_body *body) {
  const struct cfg *cfg = &body->cfg;
  for (size_t i = 0; i < cfg->block_count; i++) {
    remember_place_of_number(body, cfg->blocks[i].number, BLOCK,
                             cfg->blocks[i].place, 0);
    remember_edges_except_target(body, i);
  }
  for (size_t i = 0; i < cfg->edge_count; i++) {
    if (cfg->edges[i].splits)
      remember_place_of_number(body, cfg->edges[i].number, EDGE, i, 0);
    remember_edge_sequences(body, i);
  }
}

/* ---- places of numbers ---- */

static void add_edge_place(struct function_body *body,
                           const struct intrinsic_call *call, size_t edge) {
  add_counter_place(body, (struct byte_counter_place){
                              .line = SIZE_MAX, .edge = edge, .call = *call});
}

static void add_places_of_edge_run(struct function_body *body,
                                   const struct intrinsic_call *call,
                                   size_t first, size_t count) {
  for (size_t i = 0; i < count; i++)
    add_edge_place(body, call, body->edges_by_target[first + i]);
}

/* Adds the places that have a number. Returns false if no block or edge has the
 * number. */
static bool add_number_places(struct function_body *body,
                              const struct intrinsic_call *call,
                              uint64_t number) {
  size_t what[2];
  if (find_places_of_number(body, number, BLOCK, what)) {
    add_counter_place(
        body, (struct byte_counter_place){.line = what[0], .call = *call});
  } else if (find_places_of_number(body, number, EDGE, what)) {
    add_edge_place(body, call, what[0]);
  } else if (find_places_of_number(body, number, OTHERS, what)) {
    const struct cfg_block *from = &body->cfg.blocks[what[0]];
    for (size_t i = from->edges; i < from->last; i++)
      if (body->cfg.edges[i].to != what[1])
        add_edge_place(body, call, i);
  } else if (find_places_of_number(body, number, RUN, what)) {
    add_places_of_edge_run(body, call, what[0], what[1]);
  } else {
    return false;
  }
  return true;
}

/* Adds the places for a number that is the sum of two numbers. One of the two
 * is the number of a run of edges. */
static bool add_places_of_two_numbers(struct function_body *body,
                                      const struct intrinsic_call *call,
                                      uint64_t number) {
  for (size_t i = 0; i < body->cfg.edge_count; i++) {
    uint64_t sum = 0;
    for (size_t count = 1;
         i + count <= body->cfg.edge_count && count <= RUN_MOST; count++) {
      const struct cfg_edge *edge = nth_edge_by_target(body, i + count - 1);
      sum += edge->number;
      if (edge->to != nth_edge_by_target(body, i)->to || !edge->splits ||
          body->tries++ > TRIES_MOST)
        break;
      if (number == sum || !add_number_places(body, call, number - sum))
        continue;
      add_places_of_edge_run(body, call, i, count);
      return true;
    }
  }
  return false;
}

/* Adds the two or three places whose numbers have this sum. If code jumps out
 * of the middle of an expression, the mapping's difference also counts what
 * comes after the expression, because clang subtracts only the paths that
 * continue. */
static bool add_places_of_summed_numbers(struct function_body *body,
                                         const struct intrinsic_call *call,
                                         uint64_t number) {
  if (add_places_of_two_numbers(body, call, number))
    return true;
  for (size_t i = 0; i < body->cfg.edge_count; i++) {
    const struct cfg_edge *edge = &body->cfg.edges[i];
    if (!edge->splits || !edge->number ||
        !add_places_of_two_numbers(body, call, number - edge->number))
      continue;
    add_edge_place(body, call, i);
    return true;
  }
  return false;
}

/* Adds the places for a number that includes endless loops. clang counts an
 * endless loop as if control continued after it. Such a number is the number of
 * a place plus the numbers of edges into endless loops, which are adjacent in
 * the source. */
static bool add_places_with_endless_loops(struct function_body *body,
                                          const struct intrinsic_call *call,
                                          uint64_t number) {
  const struct cfg_edge *edges = body->cfg.edges;
  for (size_t first = 0; first < body->endless_count; first++) {
    uint64_t rest = number;
    for (size_t last = first; last < body->endless_count; last++) {
      rest -= edges[body->endless_edges[last]].number;
      if (body->tries++ > TRIES_MOST)
        return false;
      if (!add_number_places(body, call, rest))
        continue;
      for (size_t i = first; i <= last; i++)
        add_number_places(body, call, edges[body->endless_edges[i]].number);
      return true;
    }
  }
  return false;
}

/* ---- the places of a function ---- */

/* Lists the edges into endless loops. Such an edge starts in a block with a
 * path to the function's end, and ends in a block without such a path. */
static void list_edges_to_endless_loops(struct function_body *body) {
  const struct cfg *cfg = &body->cfg;
  bool *ends = cc_allocate(body->memory, cfg->block_count);
  for (bool more = true; more;) {
    more = false;
    for (size_t i = cfg->block_count; i--;) {
      const struct cfg_block *block = &cfg->blocks[i];
      bool now = block->edges == block->last || block->traps;
      for (size_t k = block->edges; k < block->last; k++)
        now |= ends[cfg->edges[k].to];
      more |= now && !ends[i];
      ends[i] |= now;
    }
  }
  for (size_t i = 0; i < cfg->edge_count; i++)
    if (ends[cfg->edges[i].from] && !ends[cfg->edges[i].to])
      CC_APPEND(body->memory, body->endless_edges, body->endless_count, i);
}

/* Lists the edges, sorted by target block. */
static void sort_edges_by_target(struct function_body *body) {
  const struct cfg *cfg = &body->cfg;
  size_t *begin = cc_allocate(body->memory, cfg->block_count * sizeof *begin);
  size_t sum = 0;
  body->edges_by_target = cc_allocate(
      body->memory, (cfg->edge_count + 1) * sizeof *body->edges_by_target);
  for (size_t i = 0; i < cfg->edge_count; i++)
    begin[cfg->edges[i].to]++;
  for (size_t i = 0; i < cfg->block_count; i++)
    begin[i] = sum += begin[i];
  for (size_t i = cfg->edge_count; i--;)
    body->edges_by_target[--begin[cfg->edges[i].to]] = i;
}

/* Adds the places for a difference. If no single place counts a sum, adds the
 * places of its operands. */
static void add_difference_places(struct function_body *body,
                                  const struct intrinsic_call *call,
                                  const struct function_counters *function,
                                  const struct counter_difference *difference,
                                  const uint64_t *plain, const uint64_t *sums) {
  uint64_t todo[DIFFERENCE_PARTS] = {difference->counter};
  for (size_t count = 1; count;) {
    uint64_t counter = todo[--count];
    uint64_t number = expressions_counter_value(function, counter, plain, sums);
    if (!number || add_number_places(body, call, number))
      continue;
    if (counter % 4 == COUNTER_SUM && count + 2 <= DIFFERENCE_PARTS) {
      todo[count++] = function->expressions[counter / 4].left;
      todo[count++] = function->expressions[counter / 4].right;
    } else if (!add_places_with_endless_loops(body, call, number) &&
               !add_places_of_summed_numbers(body, call, number) &&
               difference->wide) {
      raise_error(
          "a coverage region has no matching block in the code; compile "
          "without --counters=byte, or leave this source out with --ignore");
    }
  }
}

static void
add_all_difference_places(struct function_body *body,
                          struct intrinsic_call call,
                          const struct function_counters *function) {
  const uint64_t *plain = sum_counter_numbers(body, &call);
  const uint64_t *sums = expressions_evaluate(body->memory, function, plain);
  call.rest = (struct text_part){")", 1};
  for (size_t i = 0; i < function->count; i++) {
    call.index = call.counters + i;
    add_difference_places(body, &call, function, &function->differences[i],
                          plain, sums);
  }
}

/* Chooses the places for all functions whose counters are in the body. Inlined
 * initialisers can bring counters of several functions. */
void byte_places_choose(struct function_body *body) {
  sort_edges_by_target(body);
  list_edges_to_endless_loops(body);
  remember_all_numbers(body);
  for (size_t i = 0; i < body->cfg.line_count; i++) {
    struct byte_counter_place place = {.line = i, .own = true};
    if (!call_parse_increment(body->cfg.lines[i], &place.call))
      continue;
    /* A step that append_branch_for_step rewrote has not been checked yet. */
    const struct function_counters *function = expressions_find_function(
        &body->reader->check.functions, place.call.function);
    if (!function || function->counters != place.call.counters)
      raise_error(byte_counters_unknown);
    /* This key notes that the function's differences have places already.
     * SIZE_MAX is not a line. */
    if (!(*cc_map_find_or_add(&body->known, text_hash(place.call.function),
                              SIZE_MAX, 0))++)
      add_all_difference_places(body, place.call, function);
    add_counter_place(body, place);
  }
}
