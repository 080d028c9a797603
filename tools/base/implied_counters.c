/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds byte counters that are implied by others. Walks from a counter's place,
 * forward or backward, until all paths have reached places whose counters are
 * kept. The code before a loop implies the counter of the loop's first block,
 * since each path back to the block has passed that code before. So counters
 * inside loops are tried first.
 */
#include "flow_graph.h"

#include <stdlib.h>

#include "buffer.h"
#include "compare.h"
#include "need.h"

/* Limits for the nodes of a walk, and for the steps of counting loops. */
enum { WALK_MOST = 4000, LOOPS_MOST = 1 << 24 };

enum rule { TO_LATER, TO_ONE, TO_EARLIER };

struct implied_counter_walk {
  enum rule rule;
  uint32_t from, to;
};

struct path_walk_frame {
  uint32_t node, arc;
};

/* For each node, the number of the last walk that visited it, and whether the
 * node is on the current path. */
struct node_visit {
  uint32_t walk;
  bool open;
};

struct implied_counter_search {
  struct flow_graph *ways;
  struct node_visit *seen[2];
  struct path_walk_frame *stacks[2];
  uint32_t walks;
  struct buffer hits; /* numbers of places, uint32_t each */
};

static bool walk_all_paths(struct implied_counter_search *follower,
                           const struct implied_counter_walk *walk);

/* Whether a path may end successfully at a node. */
static bool is_walk_hit(struct implied_counter_search *follower,
                        const struct implied_counter_walk *walk,
                        uint32_t node) {
  if (walk->rule == TO_ONE || node == walk->from)
    return walk->rule == TO_ONE && node == walk->to;
  const struct flow_graph_node *it = &follower->ways->nodes[node];
  if (it->place == FLOW_NONE || it->dropped ||
      it->group != follower->ways->nodes[walk->from].group)
    return false;
  if (walk->rule == TO_LATER)
    return flow_graph_dominates(follower->ways, walk->from, node);
  const struct implied_counter_walk back = {TO_ONE, node, walk->from};
  return walk_all_paths(follower, &back);
}

/* Whether the walk must not continue through a node. */
static bool is_walk_end(const struct implied_counter_search *follower,
                        const struct implied_counter_walk *walk,
                        uint32_t node) {
  const struct flow_graph_node *it = &follower->ways->nodes[node];
  bool last =
      walk->rule == TO_EARLIER ? it->in == it[1].in : it->out == it[1].out;
  return last || it->call || node == walk->from ||
         (walk->rule == TO_LATER &&
          !flow_graph_dominates(follower->ways, walk->from, node));
}

/* Enters a node, which may be a hit, a visited node, or a new one. Returns
 * false if the walk fails. */
static bool enter_node(struct implied_counter_search *follower,
                       const struct implied_counter_walk *walk, uint32_t number,
                       uint32_t node, uint32_t *depth) {
  unsigned which = walk->rule == TO_ONE;
  struct node_visit *seen = &follower->seen[which][node];
  if (follower->ways->nodes[node].dominator == FLOW_NONE)
    return true; /* no path leads to this node */
  if (walk->rule == TO_EARLIER &&
      flow_graph_dominates(follower->ways, walk->from, node))
    return true; /* the path has returned from a node after the place */
  if (seen->walk == number)
    return !seen->open;
  *seen = (struct node_visit){number, false};
  if (is_walk_hit(follower, walk, node)) {
    uint32_t place = follower->ways->nodes[node].place;
    if (!which)
      need_append(&follower->hits, &place, sizeof place);
    return true;
  }
  if (is_walk_end(follower, walk, node))
    return false;
  seen->open = true;
  const struct flow_graph_node *it = &follower->ways->nodes[node];
  follower->stacks[which][(*depth)++] = (struct path_walk_frame){
      node, walk->rule == TO_EARLIER ? it->in : it->out};
  return true;
}

/* Whether all paths end at hits. Fills follower->hits, except for TO_ONE. */
static bool walk_all_paths(struct implied_counter_search *follower,
                           const struct implied_counter_walk *walk) {
  const struct flow_graph *ways = follower->ways;
  unsigned which = walk->rule == TO_ONE;
  bool back = walk->rule == TO_EARLIER;
  uint32_t depth = 0, steps = 0, number = ++follower->walks;
  struct path_walk_frame *stack = follower->stacks[which];
  const struct flow_graph_node *from = &ways->nodes[walk->from];
  if (!which)
    follower->hits.size = 0;
  if (back ? from->in == from[1].in : from->out == from[1].out)
    return false;
  stack[depth++] =
      (struct path_walk_frame){walk->from, back ? from->in : from->out};
  while (depth && steps++ < WALK_MOST) {
    struct path_walk_frame *top = &stack[depth - 1];
    const struct flow_graph_node *node = &ways->nodes[top->node];
    if (top->arc == (back ? node[1].in : node[1].out)) {
      follower->seen[which][top->node].open = false;
      depth--;
      continue;
    }
    uint32_t next = (back ? ways->before : ways->next)[top->arc++];
    if (!enter_node(follower, walk, number, next, &depth))
      return false;
  }
  return !depth && (which || follower->hits.size);
}

/* ---- loops ---- */

struct loop_count {
  const struct flow_graph *ways;
  uint32_t *depth, *mark, *stack;
  uint32_t steps;
};

/* Counts a loop for all nodes from which control returns to its first node. */
static void count_loop(struct loop_count *loops, uint32_t first) {
  const struct flow_graph_node *nodes = loops->ways->nodes;
  uint32_t count = 0;
  loops->stack[count++] = first;
  while (count && loops->steps++ < LOOPS_MOST) {
    uint32_t node = loops->stack[--count];
    for (uint32_t i = nodes[node].in; i < nodes[node + 1].in; i++) {
      uint32_t from = loops->ways->before[i];
      if (nodes[from].dominator == FLOW_NONE || loops->mark[from] == first ||
          !flow_graph_dominates(loops->ways, first, from))
        continue;
      loops->mark[from] = first;
      loops->depth[from]++;
      if (from != first)
        loops->stack[count++] = from;
    }
  }
}

/* Returns the number of loops around each node. */
static uint32_t *count_loops(const struct flow_graph *ways) {
  size_t size = ((size_t)ways->count + 1) * sizeof(uint32_t);
  struct loop_count loops = {ways, need_memory(calloc(1, size)),
                             need_memory(malloc(size)),
                             need_memory(malloc(size)), 0};
  memset(loops.mark, 0xFF, size);
  for (uint32_t i = 0; i < ways->count; i++)
    if (ways->nodes[i].dominator != FLOW_NONE)
      count_loop(&loops, i);
  free(loops.mark);
  free(loops.stack);
  return loops.depth;
}

/* ---- all ---- */

/* Whether the counter of a node is implied by other counters. Then the hits are
 * the places of these counters. */
static bool is_implied(struct implied_counter_search *follower, uint32_t node) {
  const struct implied_counter_walk later = {TO_LATER, node, node},
                                    earlier = {TO_EARLIER, node, node};
  const struct flow_graph_node *it = &follower->ways->nodes[node];
  return it->dominator != FLOW_NONE && !it->fixed &&
         (walk_all_paths(follower, &later) ||
          walk_all_paths(follower, &earlier));
}

struct drop_candidate {
  uint32_t depth, node;
};

ORDER_BY(by_depth, struct drop_candidate, ~x->depth, x->node);

/* Lists the nodes with counters, the nodes in most loops first. */
static struct drop_candidate *list_candidates(const struct flow_graph *ways,
                                              size_t *count) {
  uint32_t *depth = count_loops(ways);
  struct drop_candidate *turns =
      need_memory(malloc(((size_t)ways->count + 1) * sizeof *turns));
  *count = 0;
  for (uint32_t i = 0; i < ways->count; i++)
    if (ways->nodes[i].place != FLOW_NONE)
      turns[(*count)++] = (struct drop_candidate){depth[i], i};
  qsort(turns, *count, sizeof *turns, by_depth);
  free(depth);
  return turns;
}

static const char *drop_implied(struct implied_counter_search *follower,
                                const char *(*drop)(void *, uint32_t,
                                                    const uint32_t *, size_t),
                                void *context) {
  struct flow_graph *ways = follower->ways;
  size_t count;
  struct drop_candidate *turns = list_candidates(ways, &count);
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    struct flow_graph_node *node = &ways->nodes[turns[i].node];
    if (!is_implied(follower, turns[i].node))
      continue;
    node->dropped = true;
    error = drop(context, node->place, (const uint32_t *)follower->hits.data,
                 follower->hits.size / sizeof(uint32_t));
  }
  free(turns);
  return error;
}

const char *implied_counters_drop(struct flow_graph *ways,
                                  const char *(*drop)(void *, uint32_t,
                                                      const uint32_t *, size_t),
                                  void *context) {
  struct implied_counter_search follower = {.ways = ways,
                                            .hits = {.limit = (size_t)1 << 30}};
  size_t count = (size_t)ways->count + 1;
  for (unsigned i = 0; i < 2; i++) {
    follower.seen[i] = need_memory(calloc(count, sizeof *follower.seen[i]));
    follower.stacks[i] =
        need_memory(malloc(count * sizeof *follower.stacks[i]));
  }
  const char *error = drop_implied(&follower, drop, context);
  for (unsigned i = 0; i < 2; i++) {
    free(follower.seen[i]);
    free(follower.stacks[i]);
  }
  buffer_free(&follower.hits);
  return error;
}
