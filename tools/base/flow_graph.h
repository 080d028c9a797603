/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The control-flow graph of a function, for byte counters: places of counters,
 * calls, and all other nodes that control passes through. cc/ builds the graph,
 * implied_counters.c finds which counters are implied by others.
 */
#ifndef BAREPROF_TOOLS_FLOW_GRAPH_H
#define BAREPROF_TOOLS_FLOW_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "storage.h"

#define FLOW_NONE UINT32_MAX

struct flow_graph_node {
  uint32_t place;     /* number of the node's counter; FLOW_NONE: none */
  uint32_t group;     /* a counter can only be implied by counters of its
                         group */
  bool call;          /* other code may run here and never return */
  bool dropped;       /* the counter is implied by other counters */
  bool fixed;         /* after flow_graph_complete: the counter must be kept */
  uint32_t dominator; /* the last node on all paths to this one; of the first
                         node: itself; FLOW_NONE: unreachable */
  uint32_t order;     /* position in an order in which dominators come first */
  uint32_t out, in;   /* index of the node's first outgoing edge among the edges
                         sorted by start, and of its first incoming edge among
                         the edges sorted by end */
};

struct flow_graph_edge {
  uint32_t from, to;
};

struct flow_graph {
  struct buffer
      list; /* elements: struct flow_graph_node; flow_graph_complete adds one
               more */
  struct buffer edges; /* elements: struct flow_graph_edge */
  struct flow_graph_node
      *nodes; /* after flow_graph_complete: the nodes of the list */
  uint32_t count;
  uint32_t *successors,
      *predecessors; /* for each edge, the node at its other end */
};

/* Begin with an empty graph, and call flow_graph_free at the end. Control
 * enters at the first node that is added. */
void flow_graph_begin(struct flow_graph *ways);
void flow_graph_add_node(struct flow_graph *ways, uint32_t place,
                         uint32_t group, bool call);
void flow_graph_add_edge(struct flow_graph *ways, uint32_t from, uint32_t to);

/* Completes the graph: sorts the arcs, and finds the dominators. Nothing may be
 * added afterwards. */
void flow_graph_complete(struct flow_graph *ways);
void flow_graph_free(struct flow_graph *ways);

/* Whether all paths to a node pass through another node. Both nodes must be
 * reachable. */
bool flow_graph_dominates(const struct flow_graph *ways, uint32_t first,
                          uint32_t node);

/* ---- implied_counters.c ----
 *
 * Finds byte counters that are implied by others, so that no code needs to set
 * them. A counter is dropped by one of two rules. Forward: all paths from its
 * place reach places that come after it on every path. Backward: all paths to
 * its place, up to its first execution, pass through places from which all
 * paths lead to it. The counter is set if one of the counters at those places
 * is set. Two conditions make the result exact: no call is in between, so a
 * function that has called a dump, or was left during a call, shows the same as
 * with all counters; and no path in between is a loop, which might never end.
 */

/* Drops all counters that may be dropped, starting with the counters inside
 * most loops. Calls the function drop with each dropped counter, and with the
 * counters that imply it, which are kept or dropped later. Returns NULL or the
 * error. */
const char *
implied_counters_drop(struct flow_graph *ways,
                      const char *(*drop)(void *context, uint32_t place,
                                          const uint32_t *from, size_t count),
                      void *context);

#endif
