/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The graph of a function in steps: places of flags, calls, and what else
 * control comes through. Which flags follow from others is in follow.c.
 */
#ifndef BASE_WAYS_H
#define BASE_WAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "storage.h"

#define WAY_NONE UINT32_MAX

struct way_node {
  uint32_t place;     /* its number; WAY_NONE: of no flag */
  uint32_t group;     /* a flag may follow from those of its group only */
  bool call;          /* other code may run here, and never come back */
  bool dropped;       /* the flag follows from others */
  bool fixed;         /* once linked: the flag may not be dropped */
  uint32_t dominator; /* the last one on all ways to here; the first node's is
                         itself; WAY_NONE: no way leads here */
  uint32_t order;     /* of a walk in which dominators come first */
  uint32_t out, in;   /* the first of its arcs, by where they begin or end */
};

struct way_arc {
  uint32_t from, to;
};

struct ways {
  struct buffer list;     /* struct way_node; and one more once linked */
  struct buffer arcs;     /* struct way_arc */
  struct way_node *nodes; /* those of the list, once linked */
  uint32_t count;
  uint32_t *next, *before; /* nodes at the other ends of arcs */
};

/* An empty graph. The caller calls ways_free in any case. The first node that
 * is added is where control comes in. These return NULL or the error. */
void ways_begin(struct ways *ways);
const char *ways_add(struct ways *ways, uint32_t place, uint32_t group,
                     bool call);
const char *ways_arc(struct ways *ways, uint32_t from, uint32_t to);

/* Finds what the nodes and arcs say. Nothing is added any more. */
const char *ways_link(struct ways *ways);
void ways_free(struct ways *ways);

/* Whether all ways to a node go through another. Both can be reached. */
bool ways_dominate(const struct ways *ways, uint32_t first, uint32_t node);

/* ---- follow.c ----
 *
 * Which flags follow from others, so that nothing has to be stored for them. A
 * flag is dropped by one of two rules. Forward: all ways from its place reach
 * places that come behind it on every way. Backward: all ways to its place,
 * until the first time there, come through places from which all ways lead to
 * it. The flag is set if one of those is set. No call is in between, so a
 * function that has called a dump, or is left in a call, shows what it would
 * show with all flags; and no way in between goes in a circle, which could be
 * without end.
 */

/* Drops all flags that may be dropped, first those in the most loops, and calls
 * a function with the place of each and those that it follows from. These are
 * kept, or dropped later. Returns NULL or the error. */
const char *follow_flags(struct ways *ways,
                         const char *(*drop)(void *context, uint32_t place,
                                             const uint32_t *from,
                                             size_t count),
                         void *context);

#endif
