/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How often each place of a function runs, as far as its graph tells: numbers
 * for blocks and edges of which as much flows into a block as out of it, and
 * which are random otherwise. Two sums that are equal for such numbers are
 * equal for all runs, so a block or an edge is the place of an expression of
 * counters if its number is that of the expression.
 *
 * clang leaves scopes by a variable that says where to go on. A block is one
 * for each value that this variable may have there.
 */
#ifndef CC_CFG_H
#define CC_CFG_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/buffer.h"
#include "increment.h"

struct cfg_edge {
  size_t from, to;  /* blocks */
  struct text name; /* of the block, where the instruction has it */
  bool unwinds;     /* for an exception, which no counter counts: the block
                       begins anew */
  bool splits;      /* another block may be put between both */
  bool chosen;      /* by the variable, for this value: */
  bool other;       /* all others */
  uint64_t value;
  uint64_t number;
  size_t split; /* the number of a block between both; 0: none */
};

struct cfg_block {
  struct text name;   /* empty: the first one */
  size_t begin, end;  /* lines */
  size_t place;       /* the first line that calls may come before */
  size_t edges, last; /* of it: from, up to */
  bool sets;          /* the variable, to this value: */
  uint64_t value;
  uint64_t number; /* 0: it never runs */
};

/* Lists in buffers. */
struct cfg {
  const struct text *lines; /* of the function's body */
  size_t line_count;
  struct buffer blocks, edges;
  size_t block_count, edge_count;
};

static inline struct cfg_block *cfg_blocks(const struct cfg *flow) {
  return (struct cfg_block *)flow->blocks.data;
}

static inline struct cfg_edge *cfg_edges(const struct cfg *flow) {
  return (struct cfg_edge *)flow->edges.data;
}

/* Reads a body: the lines behind the one with "define", up to "}". Returns NULL
 * or the error. The caller calls cfg_free in both cases. */
const char *cfg_read(struct cfg *flow, const struct text *lines, size_t count);
void cfg_free(struct cfg *flow);

/* Sets the number of each block and edge (solve.c). Returns NULL or the error.
 */
const char *cfg_solve(struct cfg *flow);

/* Takes the name behind the next "label " of the line. false: there is none. */
bool cfg_label(struct text *line, struct text *name);

/* Whether a block begins with this line, and its name. */
bool cfg_is_block(struct text line, struct text *name);

#endif
