/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The graph of a function's body in steps: places of flags, calls, and the
 * begins and ends of blocks.
 */
#ifndef CC_WAYS_H
#define CC_WAYS_H

#include "flags_inside.h"

#define WAY_NONE UINT32_MAX

struct way_node {
  uint32_t place;      /* its number; WAY_NONE: of no flag */
  bool call;           /* other code may run here, and never come back */
  uint32_t dominator;  /* the last one on all ways to here; the first node's is
                          itself; WAY_NONE: no way leads here */
  uint32_t order;      /* of a walk in which dominators come first */
  uint32_t out, in;    /* the first of its arcs, by where they begin or end */
};

struct ways {
  struct way_node *nodes; /* one more, for the ends of arcs */
  uint32_t count;
  uint32_t *next, *before; /* nodes at the other ends of arcs */
  uint32_t *of_place;      /* nodes, by place */
};

/* Returns NULL or the error. The caller calls ways_free in both cases. */
const char *ways_make(struct ways *ways, const struct body *body);
void ways_free(struct ways *ways);

/* Whether all ways to a node go through another. Both can be reached. */
bool ways_dominate(const struct ways *ways, uint32_t first, uint32_t node);

#endif
