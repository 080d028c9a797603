/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A function that ends in a jump to another one leaves no frame: a tail call.
 * If a call did not call the function that a stack has next, and there is
 * exactly one way of jumps between the two, the functions on that way are the
 * missing frames. The code says the ways: direct jumps of each function. Jumps
 * by registers are unknown.
 *
 *     struct jumps jumps;
 *     jumps_begin(&jumps, &listing);
 *     struct jump_way way = jumps_lead(&jumps, call.target, address);
 *     ...
 *     jumps_free(&jumps);
 *
 * Cold code that was split off a function (NAME.cold) is that function's, and a
 * linker's veneer is the function that it leads to.
 */
#ifndef SAMPLE_JUMPS_H
#define SAMPLE_JUMPS_H

#include "../base/map.h"
#include "listing.h"

enum jump_ways { JUMPS_NONE, JUMPS_ONE, JUMPS_SEVERAL };

/* A direct jump to another function. */
struct jump {
  uint32_t to; /* symbol of that function */
  uint64_t place, behind;
};

/* Jumps of one function to another, one or more. */
struct jump_hop {
  const struct probe_symbol *function;
  size_t first, count; /* see jumps_at */
  uint32_t to;         /* symbol of the other one */
};

enum { JUMPS_MOST = 64 };

struct jump_way {
  enum jump_ways ways;
  size_t count;                /* of hops; 0: it is the function itself */
  const struct jump_hop *hops; /* the outermost first; if there is one way */
};

struct jumps {
  struct listing *listing;
  uint32_t *functions;      /* by symbol: which symbol its function has */
  struct jump_part *parts;  /* symbols of each function, by function */
  struct jump_node *nodes;  /* by symbol of a function */
  uint32_t *reached;        /* by symbol of a function: see struct reached */
  struct buffer list, hops; /* struct jump; struct jump_hop, by function */
  struct buffer ways;       /* struct jump_hop, way by way */
  struct map known;         /* for two functions, the way */
  uint64_t left;            /* hops that may still be looked at */
};

/* listing must live as long. */
void jumps_begin(struct jumps *jumps, struct listing *listing);
void jumps_free(struct jumps *jumps);

/* The symbol of the function that a symbol is a part of; mostly the same.
 * NULL: no memory, which listing->error says then. */
const struct probe_symbol *jumps_function(struct jumps *jumps,
                                          const struct probe_symbol *symbol);

/* How jumps lead from the function that begins at `called` to the one that has
 * the address `to`. Several ways, also any number of rounds of a loop, are no
 * way to be sure of; so is one through a function that could not be decoded.
 * What it points to is valid until the next call. */
struct jump_way jumps_lead(struct jumps *jumps, uint64_t called, uint64_t to);

/* Jump number first + i of a hop. */
const struct jump *jumps_at(const struct jumps *jumps, size_t number);

#endif
