/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The control-flow graph of a function's blocks. blocks.c finds the blocks
 * before; sled.c uses the graph.
 */
#ifndef ASM_GRAPH_H
#define ASM_GRAPH_H

#include "plan.h"

/* Control may go from one block to another. */
struct asm_edge {
  uint32_t from, to;
};

/* The control-flow graph of one function. */
struct asm_graph {
  struct asm_program *program;
  struct asm_function *function;
  struct asm_edge *edges; /* sorted; an edge may occur twice */
  uint32_t *taken;        /* blocks whose address is taken */
  uint32_t edge_count, taken_count;
  uint32_t first; /* block with the first instruction */
  bool jumps;     /* a jump goes through a register or table */
};

/* Builds the graph. Call asm_find_blocks before. The functions here return NULL
 * or the error; the caller calls asm_graph_free in any case. */
const char *asm_graph_build(struct asm_graph *graph,
                            struct asm_program *program,
                            struct asm_function *function);
void asm_graph_free(struct asm_graph *graph);

/* Sets the function's signature (see graph.c). */
void asm_compute_signature(struct asm_graph *graph);

/* Finds the blocks that others imply, so that they need no byte; the entry too,
 * if `entry` says that it has a byte (and not a count). */
const char *asm_find_implied(struct asm_graph *graph, bool entry);

/* Finds for each block a register that its sled may use. */
void asm_find_dead_registers(const struct asm_graph *graph);

#endif
