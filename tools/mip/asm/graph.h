/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The graph of a function's blocks.
 */
#ifndef ASM_GRAPH_H
#define ASM_GRAPH_H

#include "plan.h"

struct asm_edge {
  uint32_t from, to;
};

struct asm_graph {
  struct asm_program *program;
  struct asm_function *function;
  struct buffer edges; /* struct asm_edge, ascending, some twice */
  struct buffer taken; /* uint32_t: blocks whose address is taken */
  uint32_t edge_count, taken_count;
  uint32_t first; /* the block of the first instruction */
  bool jumps;     /* some jump goes through a register or table */
};

/* Call asm_find_blocks before. These return NULL or the error; asm_graph_free
 * gives the memory back in both cases. */
const char *asm_graph_make(struct asm_graph *graph, struct asm_program *program,
                           struct asm_function *function);
void asm_graph_free(struct asm_graph *graph);

/* Sets the function's signature. */
const char *asm_sign(struct asm_graph *graph);

/* Finds the flags that follow from others (graph.c); the entry's if it is
 * a flag. */
const char *asm_follow(struct asm_graph *graph, bool entry);

/* Finds a register for each block's sled. */
const char *asm_find_dead(const struct asm_graph *graph);

#endif
