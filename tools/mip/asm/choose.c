/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which functions are left alone, and which registers their sleds may use.
 */
#include <string.h>

#include "graph.h"
#include "plan.h"

/* The facts from all statements of a function. */
struct register_look {
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
                    struct register_look *look) {
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

static struct register_look look_over(const struct asm_plan *plan,
                                      const struct asm_function *function) {
  const struct asm_text *text = plan->program->text;
  struct register_look look = {.own = 0};
  for (uint32_t i = function->label; i != ASM_NONE && i != function->size;
       i = asm_at(text, i)->next)
    look_at(plan, asm_at(text, i), &look);
  return look;
}

static const char *why_skip(const struct asm_plan *plan,
                            const struct asm_function *function,
                            const struct register_look *look) {
  const struct asm_program *program = plan->program;
  const struct asm_text *text = program->text;
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
  if (look->resumes)
    return "an interrupt handler: no register is free";
  if (function->spill && plan->settings.type & 12)
    return "it signs its return address into ip, so no helper can be called";
  return NULL;
}

/* Once what blocks there are is known. */
static const char *why_plain(const struct asm_plan *plan,
                             const struct asm_function *function) {
  uint32_t most = 4096 - asm_first_slot(&plan->settings) - 1;
  if (plan->program->text->machine->arch == ASM_ARM && function->kept > most)
    return "it has more than 4,000 blocks";
  return NULL;
}

static const char *look_at_graph(struct asm_plan *plan,
                                 struct asm_function *function,
                                 const struct register_look *look) {
  struct asm_graph graph;
  if (!function->block_count)
    return NULL;
  const char *error = asm_graph_make(&graph, plan->program, function);
  if (!error)
    error = asm_sign(&graph);
  if (!error && plan->settings.type & MIP_FOLLOWS && !function->mixed)
    error = asm_follow(&graph, !(plan->settings.type & 12));
  /* Thumb stores by low registers, or better by these. */
  if (!error && (look->scratch || function->thumb) && !look->outlined &&
      !function->mixed)
    error = asm_find_dead(&graph);
  asm_graph_free(&graph);
  return error;
}

static const char *choose_function(struct asm_plan *plan,
                                   struct asm_function *function) {
  struct register_look look = look_over(plan, function);
  const char *error = asm_find_blocks(plan->program, function);
  if (!error)
    error = look_at_graph(plan, function, &look);
  if (error)
    return error;
  function->skipped = why_skip(plan, function, &look);
  if (function->skipped)
    return NULL;
  function->aligned = look.aligned;
  function->spill_blocks = look.scratch || look.outlined;
  function->has_blocks = plan->settings.type & 2 && function->block_count;
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
  if (!error && plan->settings.type & 2)
    asm_check_tables(plan);
  return error;
}
