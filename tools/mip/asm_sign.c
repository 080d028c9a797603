/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The graph of a function as text, and the hash of that.
 */
#include <stdio.h>
#include <stdlib.h>

#include "asm_blocks.h"
#include "hash.h"

/* Jumps through registers times the labels they may go to, in a function. */
enum { EDGE_LIMIT = 1 << 22 };

struct edge {
  uint32_t from, to;
};

struct graph {
  struct asm_program *program;
  const struct asm_machine *machine;
  struct asm_function *function;
  struct buffer edges, taken, text;
  uint32_t edge_count, taken_count;
};

static const char *add_edge(struct graph *graph, uint32_t from, uint32_t to) {
  struct edge edge = {from, to};
  return asm_push(&graph->edges, &graph->edge_count, &edge, sizeof edge);
}

/* The block of a label, if it is in this function. */
static uint32_t block_of(const struct graph *graph, struct asm_slice name) {
  const struct asm_label *label = asm_label_find(graph->program, name);
  if (!label)
    return ASM_NONE;
  uint32_t function = asm_at(graph->program->text, label->statement)->function;
  return function != ASM_NONE &&
                 asm_function_at(graph->program, function) == graph->function
             ? label->block
             : ASM_NONE;
}

static const char *find_taken(struct graph *graph) {
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

static const char *add_taken(struct graph *graph, uint32_t from) {
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
static const char *add_named(struct graph *graph,
                             const struct asm_statement *at) {
  struct asm_slice rest = at->rest, operand;
  const char *error = NULL;
  while (asm_operand(graph->program->text, &rest, &operand) && !error) {
    uint32_t to = block_of(graph, operand);
    if (to != ASM_NONE)
      error = add_edge(graph, at->block, to);
  }
  return error;
}

static const char *add_edges(struct graph *graph,
                             const struct asm_statement *at,
                             struct asm_flow flow) {
  if (at->inside)
    return add_named(graph, at);
  if (flow.indirect)
    return add_taken(graph, at->block);
  uint32_t to = flow.target.size ? block_of(graph, flow.target) : ASM_NONE;
  return to == ASM_NONE ? NULL : add_edge(graph, at->block, to);
}

static const char *find_edges(struct graph *graph) {
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
    if (goes_on && at->block != before)
      error = add_edge(graph, before, at->block);
    struct asm_flow flow = asm_flow_of(graph->machine, text, at);
    bool traps = asm_traits_of(graph->machine, text, at) & ASM_TRAPS;
    goes_on = at->inside || (flow.ends ? flow.falls : !traps);
    before = at->block;
    if (!error && (flow.ends || at->inside))
      error = add_edges(graph, at, flow);
  }
  return error;
}

static int compare(const void *a, const void *b) {
  const struct edge *left = a, *right = b;
  if (left->from != right->from)
    return left->from < right->from ? -1 : 1;
  return (left->to > right->to) - (left->to < right->to);
}

static const char *write_text(struct graph *graph) {
  struct edge *edges = (struct edge *)(void *)graph->edges.data;
  const char *error = NULL;
  uint32_t at = 0;
  if (graph->edge_count)
    qsort(edges, graph->edge_count, sizeof *edges, compare);
  for (uint32_t i = 0; i <= graph->function->block_count && !error; i++) {
    error = buffer_append(&graph->text, "{", 1);
    for (; at < graph->edge_count && edges[at].from == i && !error; at++) {
      char number[16];
      if (at && edges[at - 1].from == i && edges[at - 1].to == edges[at].to)
        continue;
      int size = snprintf(number, sizeof number, "%u;", (unsigned)edges[at].to);
      error = buffer_append(&graph->text, number, (size_t)size);
    }
    if (!error)
      error = buffer_append(&graph->text, "}", 1);
  }
  return error;
}

const char *asm_sign(struct asm_program *program,
                     const struct asm_machine *machine,
                     struct asm_function *function) {
  struct graph graph = {
      .program = program, .machine = machine, .function = function};
  const char *error;
  graph.text.limit = (size_t)1 << 30;
  function->signature = 0;
  if (!function->block_count)
    return NULL;
  error = find_taken(&graph);
  if (!error)
    error = find_edges(&graph);
  if (!error)
    error = write_text(&graph);
  if (!error)
    function->signature =
        mip_cfg_signature((const char *)graph.text.data, graph.text.size,
                          (size_t)function->block_count + 1);
  buffer_free(&graph.edges);
  buffer_free(&graph.taken);
  buffer_free(&graph.text);
  return error;
}
