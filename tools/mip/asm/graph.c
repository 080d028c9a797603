/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The graph of a function, the graph as text, and the hash of that.
 */
#include "graph.h"

#include <stdio.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../object/digest.h"

/* Jumps through registers times the labels they may go to, in a function. */
enum { EDGE_LIMIT = 1 << 22 };

static const char *add_edge(struct asm_graph *graph, uint32_t from,
                            uint32_t to) {
  struct asm_edge edge = {from, to};
  return asm_push(&graph->edges, &graph->edge_count, &edge, sizeof edge);
}

uint32_t asm_block_of(const struct asm_graph *graph, struct asm_slice name) {
  const struct asm_label *label = asm_label_find(graph->program, name);
  if (!label)
    return ASM_NONE;
  uint32_t function = asm_at(graph->program->text, label->statement)->function;
  return function != ASM_NONE &&
                 asm_function_at(graph->program, function) == graph->function
             ? label->block
             : ASM_NONE;
}

static const char *find_taken(struct asm_graph *graph) {
  const struct asm_text *text = graph->program->text;
  const char *error = NULL;
  uint32_t last = ASM_NONE;
  for (uint32_t i = graph->function->label; i != ASM_NONE && !error;
       i = asm_at(text, i)->next) {
    const struct asm_statement *at = asm_at(text, i);
    const struct asm_label *label =
        at->kind == ASM_LABEL ? asm_label_find(graph->program, at->word) : NULL;
    if (!label || !(label->uses & ASM_TAKEN) || label->block == ASM_NONE ||
        label->block == last)
      continue;
    last = label->block;
    error = asm_push(&graph->taken, &graph->taken_count, &last, sizeof last);
  }
  return error;
}

static const char *add_taken(struct asm_graph *graph, uint32_t from) {
  const uint32_t *taken = (const uint32_t *)(void *)graph->taken.data;
  const char *error = NULL;
  if (graph->taken_count > EDGE_LIMIT - graph->edge_count % EDGE_LIMIT ||
      graph->edge_count > EDGE_LIMIT)
    return "it has a function with more than 4 million computed jumps; leave "
           "that file out";
  for (uint32_t i = 0; i < graph->taken_count && !error; i++)
    error = add_edge(graph, from, taken[i]);
  return error;
}

/* Inline assembly may jump to a label of the function: `asm goto`. */
static const char *add_named(struct asm_graph *graph,
                             const struct asm_statement *at) {
  struct asm_slice rest = at->rest, operand;
  const char *error = NULL;
  while (asm_operand(graph->program->text, &rest, &operand) && !error) {
    uint32_t to = asm_block_of(graph, operand);
    if (to != ASM_NONE)
      error = add_edge(graph, at->block, to);
  }
  return error;
}

static const char *add_edges(struct asm_graph *graph,
                             const struct asm_statement *at,
                             struct asm_flow flow) {
  if (at->inside)
    return add_named(graph, at);
  if (flow.indirect) {
    graph->jumps = true;
    return add_taken(graph, at->block);
  }
  uint32_t to = flow.target.size ? asm_block_of(graph, flow.target) : ASM_NONE;
  return to == ASM_NONE ? NULL : add_edge(graph, at->block, to);
}

static const char *find_edges(struct asm_graph *graph) {
  const struct asm_text *text = graph->program->text;
  const char *error = NULL;
  uint32_t before = ASM_NONE;
  bool goes_on = false;
  for (uint32_t i = graph->function->label;
       i != ASM_NONE && i != graph->function->size && !error;
       i = asm_at(text, i)->next) {
    const struct asm_statement *at = asm_at(text, i);
    if (at->kind != ASM_INSTRUCTION)
      continue;
    if (before == ASM_NONE)
      graph->first = at->block;
    if (goes_on && at->block != before)
      error = add_edge(graph, before, at->block);
    struct asm_flow flow = asm_flow_of(text, at);
    bool traps = asm_traits_of(text, at) & ASM_TRAPS;
    goes_on = at->inside || (flow.ends ? flow.falls : !traps);
    before = at->block;
    if (!error && (flow.ends || at->inside))
      error = add_edges(graph, at, flow);
  }
  return error;
}

ORDER_BY(compare_edges, struct asm_edge, x->from, x->to);

const char *asm_graph_make(struct asm_graph *graph, struct asm_program *program,
                           struct asm_function *function) {
  *graph = (struct asm_graph){.program = program, .function = function};
  const char *error = find_taken(graph);
  if (!error)
    error = find_edges(graph);
  sort(graph->edges.data, graph->edge_count, sizeof(struct asm_edge),
       compare_edges);
  return error;
}

void asm_graph_free(struct asm_graph *graph) {
  buffer_free(&graph->edges);
  buffer_free(&graph->taken);
}

/* ---- the signature ---- */

static const char *write_text(const struct asm_graph *graph,
                              struct buffer *to) {
  const struct asm_edge *edges =
      (const struct asm_edge *)(const void *)graph->edges.data;
  const char *error = NULL;
  uint32_t at = 0;
  for (uint32_t i = 0; i <= graph->function->block_count && !error; i++) {
    error = buffer_append(to, "{", 1);
    for (; at < graph->edge_count && edges[at].from == i && !error; at++) {
      char number[16];
      if (at && edges[at - 1].from == i && edges[at - 1].to == edges[at].to)
        continue;
      int size = snprintf(number, sizeof number, "%u;", (unsigned)edges[at].to);
      error = buffer_append(to, number, (size_t)size);
    }
    if (!error)
      error = buffer_append(to, "}", 1);
  }
  return error;
}

/* The signature of the function's graph: the low 32 bits of the first half of
 * the MD5 of its adjacency text. That has a pair of braces for each block, in
 * the order of the code, with the numbers of the blocks that may follow it,
 * each ended by a semicolon: `{1;2;}{2;}{}` is three blocks, numbered from 0. A
 * function of one block has the signature 0. The successors of each
 * block ascending and once. A jump through a register or table may go to
 * every label whose address is taken in the function. */
const char *asm_sign(struct asm_graph *graph) {
  struct buffer text = {.limit = (size_t)1 << 30};
  const char *error = write_text(graph, &text);
  if (!error)
    graph->function->signature = (uint32_t)md5_low64(text.data, text.size);
  buffer_free(&text);
  return error;
}
