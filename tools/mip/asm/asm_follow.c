/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Blocks whose flags follow from others. The graph for that has two nodes for a
 * block: the place of its flag, and, if other code may run behind that in the
 * block or control may leave the function, a call. Control comes from outside
 * to the entry, landing pads, and what other functions jump to.
 */
#include "graph.h"

#include <stdlib.h>

#include "../../base/error.h"
#include "../../base/ways.h"

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

static bool is_stop(const struct asm_graph *graph,
                    const struct asm_statement *at) {
  const struct asm_text *text = graph->program->text;
  if (at->inside)
    return true;
  struct asm_flow flow = asm_flow_of(text, at);
  unsigned traits = asm_traits_of(text, at);
  if (!flow.ends)
    return traits & ASM_TRAPS ||
           (traits & ASM_CALLS &&
            !asm_listed(text, asm_last_operand(text, at->rest), harmless));
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
