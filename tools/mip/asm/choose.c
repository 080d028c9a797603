/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which functions are left alone, which registers their sleds may use, and the
 * signature of each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "plan.h"
#include "../../object/md5.h"

/* ==== The graph of a function as text, and the hash of that. */

/* Jumps through registers times the labels they may go to, in a function. */
enum { EDGE_LIMIT = 1 << 22 };

struct edge {
  uint32_t from, to;
};

struct graph {
  struct asm_program *program;
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
    struct asm_flow flow = asm_flow_of(text, at);
    bool traps = asm_traits_of(text, at) & ASM_TRAPS;
    goes_on = at->inside || (flow.ends ? flow.falls : !traps);
    before = at->block;
    if (!error && (flow.ends || at->inside))
      error = add_edges(graph, at, flow);
  }
  return error;
}

ORDER_BY(compare_edges, struct edge, x->from, x->to);

static const char *write_text(struct graph *graph) {
  struct edge *edges = (struct edge *)(void *)graph->edges.data;
  const char *error = NULL;
  uint32_t at = 0;
  sort(edges, graph->edge_count, sizeof *edges, compare_edges);
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

/* The signature of the function's graph: the low 32 bits of the first half of
 * the MD5 of its adjacency text. That has a pair of braces for each block, in
 * the order of the code, with the numbers of the blocks that may follow it,
 * each ended by a semicolon: `{1;2;}{2;}{}` is three blocks, numbered from 0. A
 * function of one block has the signature 0. The successors of each
 * block ascending and once. A jump through a register or table may go to
 * every label whose address is taken in the function. */
static const char *asm_sign(struct asm_program *program,
                            struct asm_function *function) {
  struct graph graph = {.program = program, .function = function};
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
    function->signature = (uint32_t)md5_low64(graph.text.data, graph.text.size);
  buffer_free(&graph.edges);
  buffer_free(&graph.taken);
  buffer_free(&graph.text);
  return error;
}

/* The facts from all statements of a function. */
struct look {
  uint32_t own, inside; /* instructions of the compiler, and of assembly */
  bool resumes, naked, nested, aligned;
  bool scratch, outlined; /* the register of block sleds is in use */
};

static bool name_has(const struct asm_text *text, struct asm_slice name,
                     const char *part) {
  size_t size = strlen(part);
  for (uint32_t i = 0; i + size <= name.size; i++)
    if (memcmp(text->data + name.at + i, part, size) == 0)
      return true;
  return false;
}

/* f.cold, f.cold.1 */
static bool is_cold(const struct asm_text *text, struct asm_slice name) {
  for (uint32_t i = 0; i + 5 <= name.size; i++)
    if (memcmp(text->data + name.at + i, ".cold", 5) == 0 &&
        (i + 5 == name.size || text->data[name.at + i + 5] == '.' ||
         text->data[name.at + i + 5] == '"'))
      return true;
  return false;
}

static void look_at(const struct asm_plan *plan, const struct asm_statement *at,
                    struct look *look) {
  const struct asm_text *text = plan->program->text;
  look->naked |= at->note == ASM_NOTE_NAKED;
  look->nested |= at->note == ASM_NOTE_NESTED;
  look->aligned |= look->own && (asm_is(text, at->word, ".align") ||
                                 asm_is(text, at->word, ".p2align"));
  if (at->kind != ASM_INSTRUCTION)
    return;
  unsigned traits = asm_traits_of(text, at);
  look->scratch |= asm_uses_scratch(text, at->rest);
  look->outlined |= asm_begins(text, at->rest, "OUTLINED_FUNCTION_") ||
                    name_has(text, at->rest, " OUTLINED_FUNCTION_");
  if (at->inside)
    look->inside++;
  else if (!(traits & ASM_TRAPS))
    look->own++;
  look->resumes |= !at->inside && traits & ASM_RESUMES;
}

static struct look look_over(const struct asm_plan *plan,
                             const struct asm_function *function) {
  const struct asm_text *text = plan->program->text;
  struct look look = {.own = 0};
  for (uint32_t i = function->label; i != ASM_NONE && i != function->size;
       i = asm_at(text, i)->next)
    look_at(plan, asm_at(text, i), &look);
  return look;
}

static const char *why_skip(const struct asm_plan *plan,
                            const struct asm_function *function,
                            const struct look *look) {
  const struct asm_program *program = plan->program;
  const struct asm_text *text = program->text;
  bool frees_nothing = plan->program->text->machine->arch != ASM_X86_64;
  if (function->skipped)
    return function->skipped;
  if (function->size == ASM_NONE)
    return "its end is not known: it has no .size";
  if (name_has(text, function->name, "OUTLINED_FUNCTION_"))
    return "outlined: parts of several functions";
  if (is_cold(text, function->name))
    return "the cold part of another function";
  if (program->has_notes && !function->compiled)
    return "written by hand, in file-scope assembly";
  if (look->naked || (look->inside && !look->own))
    return "naked: nothing is known of its registers";
  if (!look->own && !look->inside)
    return "it has no instructions";
  if (look->nested && plan->program->text->machine->arch == ASM_ARM)
    return "a nested function: its static chain is in ip";
  if (look->resumes && frees_nothing)
    return "an interrupt handler: no register is free";
  if (function->spill && plan->wish.type & 12)
    return "it signs its return address into ip, so no helper can be called";
  return NULL;
}

/* Once what blocks there are is known. */
static const char *why_plain(const struct asm_plan *plan,
                             const struct asm_function *function) {
  uint32_t most = 4096 - asm_first_slot(&plan->wish) - 1;
  if (plan->program->text->machine->arch == ASM_ARM &&
      function->block_count > most)
    return "it has more than 4,000 blocks";
  return NULL;
}

static const char *choose_function(struct asm_plan *plan,
                                   struct asm_function *function) {
  const char *error = asm_find_blocks(plan->program, function);
  if (!error)
    error = asm_sign(plan->program, function);
  if (error)
    return error;
  struct look look = look_over(plan, function);
  function->skipped = why_skip(plan, function, &look);
  if (function->skipped)
    return NULL;
  function->aligned = look.aligned;
  function->spill_blocks = look.scratch || look.outlined;
  function->has_blocks = plan->wish.type & 2 && function->block_count;
  if (function->has_blocks)
    function->plain = why_plain(plan, function);
  asm_check_reach(plan, function);
  if (function->plain)
    function->has_blocks = false;
  return NULL;
}

const char *asm_choose(struct asm_plan *plan) {
  const char *error = NULL;
  asm_find_uses(plan->program);
  for (uint32_t i = 0; i < plan->program->function_count && !error; i++)
    error = choose_function(plan, asm_function_at(plan->program, i));
  if (!error && plan->wish.type & 2)
    asm_check_tables(plan);
  return error;
}
