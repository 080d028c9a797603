/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds byte counters that are implied by others. Walks from a counter's place,
 * forward or backward, until all paths have reached places whose counters are
 * kept. The code before a loop implies the counter of the loop's first block,
 * since each path back to the block has passed the code before the loop. So
 * counters inside loops are tried first.
 */
#include "flow_graph.h"

#include <stdlib.h>

#include "buffer.h"
#include "compare.h"
#include "need.h"

/* The limits for the steps of a walk, and for the steps of counting loops. */
enum { WALK_MOST = 4000, LOOPS_MOST = 1 << 24 };

/* TO_LATER: forward, to kept counters that only paths through the place reach.
 * TO_EARLIER: backward, to kept counters from which all paths lead to the
 * place. TO_ONE: forward, to one node; a walk TO_EARLIER uses it at each node.
 */
enum walk_rule { TO_LATER, TO_ONE, TO_EARLIER };

struct walk_rule_and_ends {
  enum walk_rule rule;
  uint32_t from, to;
};

struct path_walk_step {
  uint32_t node, edge;
};

/* The state of a node: the number of the last walk that visited it, and whether
 * it is on the current path. */
struct node_visit {
  uint32_t walk;
  bool open;
};

struct implied_counter_search {
  struct flow_graph *graph;
  /* the states of all nodes, and the path; [1]: of a walk TO_ONE */
  struct node_visit *seen[2];
  struct path_walk_step *stacks[2];
  uint32_t walks;
  struct buffer hits; /* the places at which paths of the walk ended, as
                         uint32_t numbers */
};

static bool walk_all_paths(struct implied_counter_search *search,
                           const struct walk_rule_and_ends *walk);

/* Returns whether a path of the walk may end successfully at a node, which is
 * then called a hit. */
static bool can_walk_end_at(struct implied_counter_search *search,
                            const struct walk_rule_and_ends *walk,
                            uint32_t node) {
  if (walk->rule == TO_ONE || node == walk->from)
    return walk->rule == TO_ONE && node == walk->to;
  const struct flow_graph_node *it = &search->graph->nodes[node];
  if (it->place == FLOW_NONE || it->dropped ||
      it->group != search->graph->nodes[walk->from].group)
    return false;
  if (walk->rule == TO_LATER)
    return flow_graph_dominates(search->graph, walk->from, node);
  const struct walk_rule_and_ends back = {TO_ONE, node, walk->from};
  return walk_all_paths(search, &back);
}

/* Returns whether the walk must not continue through a node. */
static bool is_walk_blocked(const struct implied_counter_search *search,
                            const struct walk_rule_and_ends *walk,
                            uint32_t node) {
  const struct flow_graph_node *it = &search->graph->nodes[node];
  bool last =
      walk->rule == TO_EARLIER ? it->in == it[1].in : it->out == it[1].out;
  return last || it->call || node == walk->from ||
         (walk->rule == TO_LATER &&
          !flow_graph_dominates(search->graph, walk->from, node));
}

/* Enters a node, which may be a hit (see can_walk_end_at), a visited node, or a
 * new node. Returns false if the walk fails. */
static bool enter_node(struct implied_counter_search *search,
                       const struct walk_rule_and_ends *walk, uint32_t number,
                       uint32_t node, uint32_t *depth) {
  unsigned which = walk->rule == TO_ONE;
  struct node_visit *seen = &search->seen[which][node];
  if (search->graph->nodes[node].dominator == FLOW_NONE)
    return true; /* no path leads to this node */
  if (walk->rule == TO_EARLIER &&
      flow_graph_dominates(search->graph, walk->from, node))
    return true; /* the path has returned from a node after the place */
  if (seen->walk == number)
    return !seen->open;
  *seen = (struct node_visit){number, false};
  if (can_walk_end_at(search, walk, node)) {
    uint32_t place = search->graph->nodes[node].place;
    if (!which)
      need_append(&search->hits, &place, sizeof place);
    return true;
  }
  if (is_walk_blocked(search, walk, node))
    return false;
  seen->open = true;
  const struct flow_graph_node *it = &search->graph->nodes[node];
  search->stacks[which][(*depth)++] = (struct path_walk_step){
      node, walk->rule == TO_EARLIER ? it->in : it->out};
  return true;
}

/* Returns whether all paths of a walk end at hits (see can_walk_end_at). Stores
 * the places of the hits in search->hits, except for TO_ONE. */
static bool walk_all_paths(struct implied_counter_search *search,
                           const struct walk_rule_and_ends *walk) {
  const struct flow_graph *graph = search->graph;
  unsigned which = walk->rule == TO_ONE;
  bool back = walk->rule == TO_EARLIER;
  uint32_t depth = 0, steps = 0, number = ++search->walks;
  struct path_walk_step *stack = search->stacks[which];
  const struct flow_graph_node *from = &graph->nodes[walk->from];
  if (!which)
    search->hits.size = 0;
  if (back ? from->in == from[1].in : from->out == from[1].out)
    return false;
  stack[depth++] =
      (struct path_walk_step){walk->from, back ? from->in : from->out};
  while (depth && steps++ < WALK_MOST) {
    struct path_walk_step *top = &stack[depth - 1];
    const struct flow_graph_node *node = &graph->nodes[top->node];
    if (top->edge == (back ? node[1].in : node[1].out)) {
      search->seen[which][top->node].open = false;
      depth--;
      continue;
    }
    uint32_t next =
        (back ? graph->predecessors : graph->successors)[top->edge++];
    if (!enter_node(search, walk, number, next, &depth))
      return false;
  }
  return !depth && (which || search->hits.size);
}

/* ---- loops ---- */

struct loop_depth_search {
  const struct flow_graph *graph;
  uint32_t *depth, *mark, *stack;
  uint32_t steps;
};

/* Adds 1 to the depth of all nodes in the loop that begins with node `first`.
 * From these nodes control can return to the first node. */
static void add_loop_depth(struct loop_depth_search *loops, uint32_t first) {
  const struct flow_graph_node *nodes = loops->graph->nodes;
  uint32_t count = 0;
  loops->stack[count++] = first;
  while (count && loops->steps++ < LOOPS_MOST) {
    uint32_t node = loops->stack[--count];
    for (uint32_t i = nodes[node].in; i < nodes[node + 1].in; i++) {
      uint32_t from = loops->graph->predecessors[i];
      if (nodes[from].dominator == FLOW_NONE || loops->mark[from] == first ||
          !flow_graph_dominates(loops->graph, first, from))
        continue;
      loops->mark[from] = first;
      loops->depth[from]++;
      if (from != first)
        loops->stack[count++] = from;
    }
  }
}

/* Returns the number of loops around each node. */
static uint32_t *count_loops_around(const struct flow_graph *graph) {
  size_t size = ((size_t)graph->count + 1) * sizeof(uint32_t);
  struct loop_depth_search loops = {graph, need_memory(calloc(1, size)),
                                    need_memory(malloc(size)),
                                    need_memory(malloc(size)), 0};
  memset(loops.mark, 0xFF, size);
  for (uint32_t i = 0; i < graph->count; i++)
    if (graph->nodes[i].dominator != FLOW_NONE)
      add_loop_depth(&loops, i);
  free(loops.mark);
  free(loops.stack);
  return loops.depth;
}

/* ---- the counters of a graph ---- */

/* Returns whether other counters imply the counter of a node. If so,
 * search->hits has the places of these counters. */
static bool find_implying_counters(struct implied_counter_search *search,
                                   uint32_t node) {
  const struct walk_rule_and_ends later = {TO_LATER, node, node},
                                  earlier = {TO_EARLIER, node, node};
  const struct flow_graph_node *it = &search->graph->nodes[node];
  return it->dominator != FLOW_NONE && !it->fixed &&
         (walk_all_paths(search, &later) || walk_all_paths(search, &earlier));
}

struct drop_candidate {
  uint32_t depth, node;
};

ORDER_BY(compare_drop_candidates, struct drop_candidate, ~x->depth, x->node);

/* Lists the nodes with counters. The nodes inside the most loops come first. */
static struct drop_candidate *
list_drop_candidates(const struct flow_graph *graph, size_t *count) {
  uint32_t *depth = count_loops_around(graph);
  struct drop_candidate *turns =
      need_memory(malloc(((size_t)graph->count + 1) * sizeof *turns));
  *count = 0;
  for (uint32_t i = 0; i < graph->count; i++)
    if (graph->nodes[i].place != FLOW_NONE)
      turns[(*count)++] = (struct drop_candidate){depth[i], i};
  qsort(turns, *count, sizeof *turns, compare_drop_candidates);
  free(depth);
  return turns;
}

static const char *drop_implied_counters(struct implied_counter_search *search,
                                         const char *(*drop)(void *, uint32_t,
                                                             const uint32_t *,
                                                             size_t),
                                         void *context) {
  struct flow_graph *graph = search->graph;
  size_t count;
  struct drop_candidate *turns = list_drop_candidates(graph, &count);
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    struct flow_graph_node *node = &graph->nodes[turns[i].node];
    if (!find_implying_counters(search, turns[i].node))
      continue;
    node->dropped = true;
    error = drop(context, node->place, (const uint32_t *)search->hits.data,
                 search->hits.size / sizeof(uint32_t));
  }
  free(turns);
  return error;
}

const char *implied_counters_drop(struct flow_graph *graph,
                                  const char *(*drop)(void *, uint32_t,
                                                      const uint32_t *, size_t),
                                  void *context) {
  struct implied_counter_search search = {.graph = graph,
                                          .hits = {.limit = (size_t)1 << 30}};
  size_t count = (size_t)graph->count + 1;
  for (unsigned i = 0; i < 2; i++) {
    search.seen[i] = need_memory(calloc(count, sizeof *search.seen[i]));
    search.stacks[i] = need_memory(malloc(count * sizeof *search.stacks[i]));
  }
  const char *error = drop_implied_counters(&search, drop, context);
  for (unsigned i = 0; i < 2; i++) {
    free(search.seen[i]);
    free(search.stacks[i]);
  }
  buffer_free(&search.hits);
  return error;
}
