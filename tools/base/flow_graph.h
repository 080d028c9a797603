/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the control-flow graph of a function, for byte counters. The nodes
 * are places of counters, calls, and all other places that control passes
 * through. cc/ builds the graph, implied_counters.c finds which counters are
 * implied by others.
 */
#ifndef BAREPROF_TOOLS_FLOW_GRAPH_H
#define BAREPROF_TOOLS_FLOW_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "storage.h"

#define FLOW_NONE UINT32_MAX

struct flow_graph_node {
  uint32_t place;     /* the number of the node's counter, or FLOW_NONE */
  uint32_t group;     /* the group of the counter; only counters of the same
                         group can imply it */
  bool call;          /* the node calls other code, which may never return */
  bool dropped;       /* the counter is implied by other counters */
  bool fixed;         /* after flow_graph_complete: the counter must be kept */
  uint32_t dominator; /* the last node on all paths from the first node to this
                         one. The first node dominates itself. FLOW_NONE: the
                         node is unreachable */
  uint32_t order;     /* the node's position in an order where each node follows
                         its dominator */
  uint32_t out, in;   /* out: the index of the first outgoing edge in the list
                         sorted by start; in: the index of the first incoming
                         edge in the list sorted by end */
};

struct flow_graph_edge {
  uint32_t from, to;
};

struct flow_graph {
  /* the nodes, of type struct flow_graph_node; flow_graph_complete adds a
   * last one */
  struct buffer list;
  struct buffer edges; /* the edges, of type struct flow_graph_edge */
  /* the nodes of the list, set by flow_graph_complete */
  struct flow_graph_node *nodes;
  uint32_t count; /* the number of added nodes, without the last one */
  uint32_t *successors,
      *predecessors; /* for each edge, the node at the edge's other end */
};

/* Begin with an empty graph, and call flow_graph_free at the end. The function
 * is entered at the first node that is added. */
void flow_graph_begin(struct flow_graph *graph);
void flow_graph_add_node(struct flow_graph *graph, uint32_t place,
                         uint32_t group, bool call);
void flow_graph_add_edge(struct flow_graph *graph, uint32_t from, uint32_t to);

/* Completes the graph: sorts the edges, and finds the dominators. Do not add
 * nodes or edges afterwards. */
void flow_graph_complete(struct flow_graph *graph);
void flow_graph_free(struct flow_graph *graph);

/* Returns whether all paths to a node pass through another node. Both nodes
 * must be reachable. */
bool flow_graph_dominates(const struct flow_graph *graph, uint32_t first,
                          uint32_t node);

/* ---- implied_counters.c ----
 *
 * Finds byte counters that are implied by others, so that no code needs to set
 * them. Two rules say which counters can be dropped. Forward: all paths from
 * the counter's place reach places that are reached only after it. Backward:
 * all paths to the counter's place, up to its first execution, pass through
 * places from which all paths lead to it. The counter is set if one of the
 * counters at those places is set. Two conditions make the result exact: no
 * call is in between, so a function that has called a dump, or was left during
 * a call, shows the same as with all counters; and no path in between is a
 * loop, which might never end.
 */

/* Drops all counters that may be dropped, starting with the counters inside the
 * most loops. Calls the function `drop` with each dropped counter and the
 * counters that imply it; some of these may be dropped later. Returns NULL or
 * the error. */
const char *
implied_counters_drop(struct flow_graph *graph,
                      const char *(*drop)(void *context, uint32_t place,
                                          const uint32_t *from, size_t count),
                      void *context);

#endif
