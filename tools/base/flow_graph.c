/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Builds the control-flow graph. Nodes and edges are lists first;
 * flow_graph_complete sorts the edges by their nodes, and finds the dominator
 * of each node.
 */
#include "flow_graph.h"

#include <stdlib.h>

#include "buffer.h"
#include "need.h"

enum { FLOW_MOST = 1 << 30 };

void flow_graph_begin(struct flow_graph *graph) {
  *graph = (struct flow_graph){.list = {.limit = FLOW_MOST},
                               .edges = {.limit = FLOW_MOST}};
}

void flow_graph_add_node(struct flow_graph *graph, uint32_t place,
                         uint32_t group, bool call) {
  const struct flow_graph_node node = {
      .place = place, .group = group, .call = call, .dominator = FLOW_NONE};
  graph->count++;
  need_append(&graph->list, &node, sizeof node);
}

void flow_graph_add_edge(struct flow_graph *graph, uint32_t from, uint32_t to) {
  const struct flow_graph_edge edge = {from, to};
  need_append(&graph->edges, &edge, sizeof edge);
}

/* ---- edges ---- */

/* Sorts the edges by counting. `out` and `in` of a node are first numbers of
 * edges, then the ends of the node's edges in the lists, then their begins. */
static void make_neighbour_lists(struct flow_graph *graph) {
  const struct flow_graph_edge *edges =
      (const struct flow_graph_edge *)graph->edges.data;
  size_t count = graph->edges.size / sizeof *edges;
  graph->successors =
      need_memory(malloc((count + 1) * sizeof *graph->successors));
  graph->predecessors =
      need_memory(malloc((count + 1) * sizeof *graph->predecessors));
  struct flow_graph_node *nodes = graph->nodes;
  for (size_t i = 0; i < count; i++) {
    nodes[edges[i].from].out++;
    nodes[edges[i].to].in++;
  }
  uint32_t out = 0, in = 0;
  for (uint32_t i = 0; i <= graph->count; i++) {
    nodes[i].out = out += nodes[i].out;
    nodes[i].in = in += nodes[i].in;
  }
  for (size_t i = count; i--;) {
    graph->successors[--nodes[edges[i].from].out] = edges[i].to;
    graph->predecessors[--nodes[edges[i].to].in] = edges[i].from;
  }
}

/* ---- dominators ---- */

/* Lists the reachable nodes. If edges that lead back are ignored, each node
 * comes after all nodes that lead to it. Returns the index of the first listed
 * node. */
static uint32_t sort_topologically(struct flow_graph *graph, uint32_t *list,
                                   uint32_t *at) {
  uint32_t depth = 0, left = graph->count;
  uint32_t *stack = list; /* the stack grows from the front, the list from the
                             back */
  stack[depth++] = 0;
  graph->nodes[0].dominator = 0;
  at[0] = graph->nodes[0].out;
  while (depth) {
    uint32_t node = stack[depth - 1];
    if (at[node] == graph->nodes[node + 1].out) {
      depth--;
      list[--left] = node;
      continue;
    }
    uint32_t next = graph->successors[at[node]++];
    if (graph->nodes[next].dominator != FLOW_NONE)
      continue;
    graph->nodes[next].dominator = 0;
    at[next] = graph->nodes[next].out;
    stack[depth++] = next;
  }
  return left;
}

static uint32_t compute_common_dominator(const struct flow_graph_node *nodes,
                                         uint32_t a, uint32_t b) {
  while (a != b) {
    while (nodes[a].order > nodes[b].order)
      a = nodes[a].dominator;
    while (nodes[b].order > nodes[a].order)
      b = nodes[b].dominator;
  }
  return a;
}

static bool improve_dominator(struct flow_graph *graph, uint32_t node) {
  struct flow_graph_node *nodes = graph->nodes;
  uint32_t found = FLOW_NONE;
  for (uint32_t i = nodes[node].in; i < nodes[node + 1].in; i++) {
    uint32_t from = graph->predecessors[i];
    if (nodes[from].dominator != FLOW_NONE)
      found = found == FLOW_NONE ? from
                                 : compute_common_dominator(nodes, from, found);
  }
  bool better = nodes[node].dominator != found;
  nodes[node].dominator = found;
  return better;
}

static void compute_dominators(struct flow_graph *graph) {
  uint32_t *list = need_memory(malloc((graph->count + 1) * sizeof *list));
  uint32_t *at = need_memory(malloc((graph->count + 1) * sizeof *at));
  uint32_t first = sort_topologically(graph, list, at);
  for (uint32_t i = first; i < graph->count; i++) {
    graph->nodes[list[i]].order = i;
    graph->nodes[list[i]].dominator = i == first ? 0 : FLOW_NONE;
  }
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = first + 1; i < graph->count; i++)
      more |= improve_dominator(graph, list[i]);
  }
  free(list);
  free(at);
}

bool flow_graph_dominates(const struct flow_graph *graph, uint32_t first,
                          uint32_t node) {
  while (graph->nodes[node].order > graph->nodes[first].order)
    node = graph->nodes[node].dominator;
  return node == first;
}

/* ---- the whole graph ---- */

void flow_graph_complete(struct flow_graph *graph) {
  static const struct flow_graph_node last = {.place = FLOW_NONE};
  need_append(&graph->list, &last, sizeof last);
  graph->nodes = (struct flow_graph_node *)graph->list.data;
  make_neighbour_lists(graph);
  compute_dominators(graph);
}

void flow_graph_free(struct flow_graph *graph) {
  buffer_free(&graph->list);
  buffer_free(&graph->edges);
  free(graph->successors);
  free(graph->predecessors);
}
