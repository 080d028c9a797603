/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The graph of a function, the graph as text, and the hash of that.
 */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/error.h"
#include "../../base/ways.h"
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

/* ---- what follows ----
 *
 * Blocks whose flags follow from others. The graph for that has two nodes for a
 * block: the place of its flag, and, if other code may run behind that in the
 * block or control may leave the function, a call. Control comes from outside
 * to the entry, landing pads, and what other functions jump to.
 */

/* Functions of the compiler's library and of C's that return, and call none
 * that does not. */
static const char harmless[] =
    "memcpy memmove memset memcmp bcmp __aeabi_* __mul* __div* __udiv* __mod* "
    "__umod* __ash* __lshr* __clz* __ctz* __ffs* __popcount* __bswap* __add* "
    "__sub* __eq* __ne* __lt* __le* __gt* __ge* __unord* __cmp* __fix* "
    "__float* __extend* __trunc* __riscv_save_* __riscv_restore_*";

struct following {
  struct asm_graph *graph;
  struct ways ways;
  bool *stops;  /* by block: it has a second node */
  bool *enters; /* control comes from outside, too */
};

/* ---- what blocks do ---- */

/* Whether the name is of a short function of this file alone, without calls and
 * branches: it returns, and nothing looks at the flags meanwhile. */
static bool runs_through(const struct asm_program *program,
                         struct asm_slice name) {
  enum { SHORT = 200 };
  const struct asm_text *text = program->text;
  const struct asm_label *label = asm_label_find(program, name);
  uint32_t number =
      label ? asm_at(text, label->statement)->function : ASM_NONE;
  if (number == ASM_NONE || label->uses & ASM_SHARED)
    return false;
  const struct asm_function *function = asm_function_at(program, number);
  uint32_t i = label->statement, count = 0;
  bool ends = false;
  if (function->label != i || function->size == ASM_NONE)
    return false;
  for (; i != ASM_NONE && i != function->size; i = asm_at(text, i)->next) {
    const struct asm_statement *at = asm_at(text, i);
    if (at->kind != ASM_INSTRUCTION)
      continue;
    struct asm_flow flow = asm_flow_of(text, at);
    if (ends || at->inside || count++ == SHORT || flow.indirect ||
        flow.target.size || (flow.ends && flow.falls) ||
        asm_traits_of(text, at) & (ASM_TRAPS | ASM_CALLS | ASM_RESUMES))
      return false;
    ends = flow.ends;
  }
  return ends;
}

static bool returns(const struct asm_graph *graph,
                    const struct asm_statement *call) {
  const struct asm_text *text = graph->program->text;
  struct asm_slice name = asm_last_operand(text, call->rest);
  return asm_listed(text, name, harmless) ||
         (asm_listed(text, call->word, "call bl jal") &&
          runs_through(graph->program, name));
}

static bool is_stop(const struct asm_graph *graph,
                    const struct asm_statement *at) {
  const struct asm_text *text = graph->program->text;
  if (at->inside)
    return true;
  struct asm_flow flow = asm_flow_of(text, at);
  unsigned traits = asm_traits_of(text, at);
  if (!flow.ends)
    return traits & ASM_TRAPS ||
           (traits & ASM_CALLS && !returns(graph, at));
  if (flow.indirect)
    return !flow.glued; /* which may be a call at the end */
  return !flow.target.size || asm_block_of(graph, flow.target) == ASM_NONE;
}

static bool is_entered(const struct asm_graph *graph,
                       const struct asm_label *label) {
  unsigned uses = label->uses;
  return uses & ASM_FOREIGN ||
         (uses & (ASM_LANDING | ASM_BEGINS)) == ASM_LANDING ||
         (uses & ASM_TAKEN && !graph->jumps);
}

static void look_at_blocks(struct following *following) {
  const struct asm_graph *graph = following->graph;
  const struct asm_text *text = graph->program->text;
  for (uint32_t i = graph->function->label;
       i != ASM_NONE && i != graph->function->size; i = asm_at(text, i)->next) {
    const struct asm_statement *at = asm_at(text, i);
    const struct asm_label *label =
        at->kind == ASM_LABEL ? asm_label_find(graph->program, at->word) : NULL;
    if (at->kind == ASM_INSTRUCTION)
      following->stops[at->block] |= is_stop(graph, at);
    if (label && label->block != ASM_NONE && is_entered(graph, label))
      following->enters[label->block] = true;
  }
}

/* ---- the graph in steps ---- */

/* The first node of all is where control comes in, the second where it goes
 * out; then there is one for each block, and then those of calls. */
enum { OUTSIDE, GONE, BLOCKS };

static const char *add_nodes(struct following *following) {
  struct ways *ways = &following->ways;
  uint32_t blocks = following->graph->function->block_count + 1;
  const char *error = ways_add(ways, WAY_NONE, 0, false);
  if (!error)
    error = ways_add(ways, WAY_NONE, 0, true);
  for (uint32_t i = 0; i < blocks && !error; i++)
    error = ways_add(ways, i, 0, false);
  for (uint32_t i = 0; i < blocks && !error; i++)
    error = ways_add(ways, WAY_NONE, 0, true);
  return error;
}

/* The node that control leaves a block by. */
static uint32_t last_of(const struct following *following, uint32_t block) {
  uint32_t blocks = following->graph->function->block_count + 1;
  return BLOCKS + block + (following->stops[block] ? blocks : 0);
}

static const char *add_arcs(struct following *following) {
  const struct asm_graph *graph = following->graph;
  struct ways *ways = &following->ways;
  const struct asm_edge *edges =
      (const struct asm_edge *)(const void *)graph->edges.data;
  const char *error = ways_arc(ways, OUTSIDE, BLOCKS);
  if (!error && graph->first)
    error = ways_arc(ways, BLOCKS, BLOCKS + graph->first);
  for (uint32_t i = 0; i <= graph->function->block_count && !error; i++) {
    uint32_t last = last_of(following, i);
    if (last != BLOCKS + i)
      error = ways_arc(ways, BLOCKS + i, last);
    if (!error && last != BLOCKS + i)
      error = ways_arc(ways, last, GONE);
    if (!error && following->enters[i])
      error = ways_arc(ways, OUTSIDE, BLOCKS + i);
  }
  for (uint32_t i = 0; i < graph->edge_count && !error; i++)
    if (!i || edges[i].from != edges[i - 1].from ||
        edges[i].to != edges[i - 1].to)
      error = ways_arc(ways, last_of(following, edges[i].from),
                       BLOCKS + edges[i].to);
  return error;
}

/* ---- all ---- */

static const char *add_number(struct asm_graph *graph, uint32_t number) {
  graph->function->follow_count++;
  return asm_push(&graph->program->follows, &graph->program->follow_count,
                  &number, sizeof number);
}

static const char *drop(void *context, uint32_t block, const uint32_t *from,
                        size_t count) {
  struct asm_graph *graph = context;
  struct asm_function *function = graph->function;
  if (block)
    asm_block_at(graph->program, function->first_block + block - 1)->follows =
        true;
  else
    function->entry_follows = true;
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++)
    error = add_number(graph, from[i]);
  if (!error)
    error = add_number(graph, (uint32_t)count);
  return error ? error : add_number(graph, block);
}

/* Numbers the flags that are kept. */
static void set_slots(const struct asm_graph *graph) {
  struct asm_function *function = graph->function;
  function->kept = 0;
  for (uint32_t i = 0; i < function->block_count; i++) {
    struct asm_block *block =
        asm_block_at(graph->program, function->first_block + i);
    block->slot = function->kept;
    function->kept += !block->follows;
  }
}

const char *asm_follow(struct asm_graph *graph, bool entry) {
  size_t count = (size_t)graph->function->block_count + 1;
  struct following following = {.graph = graph,
                                .stops = calloc(count, sizeof(bool)),
                                .enters = calloc(count, sizeof(bool))};
  const char *error = NULL;
  ways_begin(&following.ways);
  graph->function->follows = graph->program->follow_count;
  if (!following.stops || !following.enters)
    error = out_of_memory;
  else
    look_at_blocks(&following);
  if (!error)
    error = add_nodes(&following);
  if (!error)
    error = add_arcs(&following);
  if (!error)
    error = ways_link(&following.ways);
  if (!error)
    following.ways.nodes[BLOCKS].fixed = !entry;
  if (!error)
    error = follow_flags(&following.ways, drop, graph);
  set_slots(graph);
  ways_free(&following.ways);
  free(following.stops);
  free(following.enters);
  return error;
}
