/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Inserts trace points into IR. The input is the front end's module, the output
 * is the module with labels instead of increments. trace_assembly.c then
 * changes the assembly.
 *
 * A choice without a jump is an increment by 0 or 1, or the outcome of a
 * condition. A choice becomes a jump around a label. The rest of the block gets
 * another name, which the phis of its successors need.
 *
 * clang 19 to 23 keep the index of a decision's vector in a variable. The code
 * sets the variable to 0 where the decision begins, and a condition adds a
 * number to the variable with these lines:
 *
 *   %t = load i32, ptr %v, align 4
 *   %a = add i32 %t, 2
 *   %b = add i32 %t, 1
 *   %s = select i1 %c, i32 %a, i32 %b
 *   store i32 %s, ptr %v, align 4
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/error.h"
#include "../base/llvm.h"
#include "trace_points.h"

const struct trace_points trace_points_none = {
    .memory = {.limit = BYTE_COUNTERS_MOST}, .wide = true};

static const char unknown[] =
    "the counters have an unsupported format; compile with clang 14 "
    "to " LLVM_LAST_TEXT " (MC/DC: 19 to " LLVM_LAST_TEXT
    "), or with --counters=64";

/* The variable of a decision. */
struct decision_variable {
  struct text_part name, function;
};

/* A block whose rest has the new name bareprof.j with a number. */
struct renamed_block {
  struct text_part block; /* the name of the block; empty: the function's first
                             block */
  size_t number;
};

struct trace_module_rewriter {
  struct trace_points *points;
  FILE *out;
  struct bytes module;
  struct module_check_result check;
  struct map kept;     /* a set of the functions that keep an increment */
  struct arena memory; /* the memory for the current function, which the next
                          members describe, too */
  struct body_with_steps body;
  struct text_part *lines;
  size_t line_count;
  struct decision_variable *variables;
  size_t variable_count;
  struct renamed_block *renamed;
  size_t renamed_count;
  struct text_part block; /* the name of the block with the current line; empty:
                             the first block */
  size_t choices;         /* the number of choices in the module so far */
};

/* ---- labels ---- */

/* Writes the label of a new trace point. `function` is the name @__profn_f,
 * with or without quotes. */
static void append_and_print_point(struct trace_module_rewriter *reader,
                                   struct trace_point point,
                                   struct text_part function) {
  struct trace_points *points = reader->points;
  bool quoted = part_starts_with(function, "@\"");
  if (point.value > LABEL_VALUE_MOST)
    raise_error(unknown);
  part_cut_front(&function, strlen("@__profn_") + quoted);
  function.size -= quoted;
  char *name = cc_allocate(&points->memory, function.size + 1);
  memcpy(name, function.at, function.size);
  point.name = (struct text_part){name, function.size};
  fprintf(reader->out,
          "  call void asm sideeffect \"" TRACE_POINT_PREFIX
          "%zu.${:uid}: nop\", \"\"() nounwind willreturn "
          "inaccessiblememonly\n",
          points->count);
  CC_APPEND(&points->memory, points->list, points->count, point);
}

/* Writes a jump around labels. on[0] is the trace point for value 0, on[1] the
 * one for value 1. NULL means that the value lacks a trace point. */
static void print_choice_jump(struct trace_module_rewriter *reader,
                              struct text_part value,
                              const struct trace_point *on[2],
                              struct text_part function) {
  size_t n = reader->choices++;
  CC_APPEND(&reader->memory, reader->renamed, reader->renamed_count,
            (struct renamed_block){reader->block, n});
  fprintf(reader->out,
          "  br i1 %.*s, label %%bareprof.%s%zu, label %%bareprof.%s%zu\n",
          (int)value.size, value.at, on[1] ? "t" : "j", n, on[0] ? "f" : "j",
          n);
  for (unsigned i = 2; i-- > 0;) {
    if (!on[i])
      continue;
    fprintf(reader->out, "bareprof.%s%zu:\n", i ? "t" : "f", n);
    append_and_print_point(reader, *on[i], function);
    fprintf(reader->out, "  br label %%bareprof.j%zu\n", n);
  }
  fprintf(reader->out, "bareprof.j%zu:\n", n);
}

/* ---- counters ---- */

static void print_counter_point(struct trace_module_rewriter *reader,
                                struct text_part line) {
  struct intrinsic_call call;
  if (!call_parse_increment(line, &call))
    raise_error(unknown);
  const struct trace_point point = {.kind = LABEL_COUNTER,
                                    .value = 8 * call.index};
  if (!(*cc_map_find_or_add(&reader->kept, text_hash(call.function), 0, 0))++)
    part_print_pattern(reader->out, "%p\n", line);
  append_and_print_point(reader, point, call.function);
}

static void print_step_point(struct trace_module_rewriter *reader,
                             struct text_part line) {
  struct intrinsic_call call;
  struct text_part value;
  char name[40];
  if (!call_parse_step(line, &call, &value))
    raise_error(unknown);
  const struct trace_point point = {.kind = LABEL_COUNTER,
                                    .value = 8 * call.index};
  snprintf(name, sizeof name, "%%bareprof.c%zu", reader->choices);
  part_print_pattern(reader->out, "  %s = icmp ne i64 %p, 0\n", name, value);
  print_choice_jump(reader, (struct text_part){name, strlen(name)},
                    (const struct trace_point *[2]){NULL, &point},
                    call.function);
}

/* ---- decisions ---- */

/* Sets *number to the index of the variable with this name. Returns false if
 * the variable does not exist. */
static bool find_decision_variable(const struct trace_module_rewriter *reader,
                                   struct text_part name, size_t *number) {
  for (*number = 0; *number < reader->variable_count; ++*number)
    if (part_equals(reader->variables[*number].name, name))
      return true;
  return false;
}

static void list_decision_variables(struct trace_module_rewriter *reader) {
  for (size_t i = 0; i < reader->line_count; i++) {
    struct outcome_call outcome;
    struct text_part line = reader->lines[i];
    size_t number;
    if (!part_starts_with(line, "  call void @llvm.instrprof.mcdc.") ||
        part_contains(line, "mcdc.parameters("))
      continue;
    if (!call_parse_outcome(line, &outcome))
      raise_error(unknown);
    if (!find_decision_variable(reader, outcome.variable, &number))
      CC_APPEND(
          &reader->memory, reader->variables, reader->variable_count,
          (struct decision_variable){outcome.variable, outcome.call.function});
  }
}

/* Parses the five lines that the head of this file shows. Sets *condition, and
 * sets adds[] to the two numbers that its outcomes add. */
static bool parse_outcome_lines(const struct text_part *lines, size_t count,
                                struct text_part variable,
                                struct text_part *condition, uint64_t adds[2]) {
  struct text_part name[2], digits[2], chosen[2], loaded, place, sum, again;
  struct text_part line[5];
  if (count < 5)
    return false;
  memcpy(line, lines, sizeof line);
  if (!part_match_pattern(&line[0], text_cut_operand,
                          "  %n = load i32, ptr %n, align 4", &loaded,
                          &place) ||
      !part_equals(place, variable))
    return false;
  for (unsigned i = 0; i < 2; i++)
    if (!part_match_pattern(&line[1 + i], text_cut_operand,
                            "  %n = add i32 %n, %d", &name[i], &again,
                            &digits[i]) ||
        !part_equals(again, loaded) || !part_parse_number(&digits[i], &adds[i]))
      return false;
  if (!part_match_pattern(&line[3], text_cut_operand,
                          "  %n = select i1 %o, i32 %n, i32 %n", &sum,
                          condition, &chosen[1], &chosen[0]) ||
      !part_match_pattern(&line[4], text_cut_operand,
                          "  store i32 %n, ptr %n, align 4", &again, &place) ||
      !part_equals(again, sum) || !part_equals(place, variable))
    return false;
  for (unsigned i = 0; i < 5; i++)
    if (line[i].size && !part_starts_with(line[i], ", !"))
      return false;
  const uint64_t values[2] = {adds[0], adds[1]};
  for (unsigned i = 0; i < 2; i++) {
    bool second = part_equals(chosen[i], name[1]);
    if (!second && !part_equals(chosen[i], name[0]))
      return false;
    adds[i] = values[second];
  }
  return true;
}

/* Returns whether the variable of a decision follows `word` in the line. */
static bool find_variable_after(const struct trace_module_rewriter *reader,
                                struct text_part line, const char *word,
                                size_t *number) {
  return part_skip_past(&line, word) &&
         find_decision_variable(reader, text_cut_local(&line), number);
}

/* Returns whether a line uses a decision's variable in an unexpected way. */
static bool uses_decision_variable(const struct trace_module_rewriter *reader,
                                   struct text_part line) {
  size_t number;
  while (part_skip_past(&line, "%")) {
    struct text_part rest = {line.at - 1, line.size + 1};
    struct text_part name = text_cut_local(&rest);
    name.size -= name.size && strchr(")]", name.at[name.size - 1]);
    if (find_decision_variable(reader, name, &number) &&
        !part_starts_with(rest, " = alloca i32, align 4"))
      return true;
  }
  return false;
}

/* Returns the effect of a line on a decision, and the decision's slot. */
static struct decision_step
classify_decision_line(const struct trace_module_rewriter *reader,
                       struct text_part line) {
  struct decision_step step = {STEP_NONE, 0, false};
  struct outcome_call outcome;
  if (find_variable_after(reader, line, "  store i32 0, ptr ", &step.slot)) {
    step.kind = STEP_BEGINS;
  } else if (call_parse_outcome(line, &outcome)) {
    find_decision_variable(reader, outcome.variable, &step.slot);
    step.kind = STEP_ENDS;
  } else if (find_variable_after(reader, line, " = load i32, ptr ",
                                 &step.slot)) {
    step.kind = STEP_ADDS;
  } else {
    step.slot = 0;
  }
  return step;
}

/* Finds where decisions are open. If the control-flow graph has an unexpected
 * form, every condition counts as part of an open decision. */
static void mark_open_decisions(struct trace_module_rewriter *reader) {
  struct body_with_steps *body = &reader->body;
  size_t count = reader->line_count;
  *body = (struct body_with_steps){.cfg = {.memory = &reader->memory,
                                           .lines = reader->lines,
                                           .line_count = count}};
  if (!reader->variable_count)
    return;
  body->steps = cc_allocate(&reader->memory, count * sizeof *body->steps);
  for (size_t i = 0; i < count; i++)
    body->steps[i] = classify_decision_line(reader, reader->lines[i]);
  const char *error = catch_error(trace_mark_open_decisions, body);
  if (error == out_of_memory)
    raise_error(error);
  for (size_t i = 0; i < count && error; i++)
    body->steps[i].within = true;
}

/* Writes a label at the function's beginning or end. The label is needed if the
 * function may return before a decision ends: see ../image/linked_points.c. */
static void print_function_point(struct trace_module_rewriter *reader,
                                 enum linked_point_kind kind) {
  append_and_print_point(
      reader,
      (struct trace_point){.kind = kind,
                           .value = kind == LABEL_ENDS ? LABEL_NO_BIT : 0,
                           .slot = LABEL_FRAME},
      reader->variables->function);
}

/* Writes the lines of a decision, starting with line number `at`. Returns the
 * number of lines, or 0 if these lines do not belong to a decision. */
static size_t print_decision_points(struct trace_module_rewriter *reader,
                                    size_t at) {
  const struct decision_step *step = &reader->body.steps[at];
  const struct text_part *lines = reader->lines + at;
  const struct decision_variable *variable = &reader->variables[step->slot];
  struct trace_point point[2] = {{.kind = LABEL_ADDS, .slot = step->slot},
                                 {.kind = LABEL_ADDS, .slot = step->slot}};
  struct text_part condition;
  struct outcome_call outcome;
  uint64_t value[2];
  switch (step->kind) {
  case STEP_BEGINS:
    point->kind = LABEL_BEGINS;
    append_and_print_point(reader, *point, variable->function);
    return 1;
  case STEP_ENDS:
    if (!call_parse_outcome(*lines, &outcome))
      raise_error(unknown);
    point->kind = LABEL_ENDS;
    point->value = outcome.call.index;
    append_and_print_point(reader, *point, outcome.call.function);
    return 1;
  case STEP_ADDS:
    if (!parse_outcome_lines(lines, reader->line_count - at, variable->name,
                             &condition, value))
      raise_error(unknown);
    point[0].value = value[0];
    point[1].value = value[1];
    /* clang also adds to decisions that never begin. Such a decision never gets
     * a vector. */
    if (step->within && (value[0] || value[1]))
      print_choice_jump(
          reader, condition,
          (const struct trace_point *[2]){value[0] ? &point[0] : NULL,
                                          value[1] ? &point[1] : NULL},
          variable->function);
    return 5;
  case STEP_NONE:
    break;
  }
  if (uses_decision_variable(reader, *lines))
    raise_error(unknown);
  return 0;
}

/* ---- a function ---- */

static bool has_block_with_name(const struct trace_module_rewriter *reader,
                                struct text_part name) {
  struct text_part block;
  for (size_t i = 0; i < reader->line_count; i++)
    if (cfg_parse_block_label(reader->lines[i], &block) &&
        part_equals(block, name))
      return true;
  return false;
}

/* Sets `again` to the block's new name. The text does not name the first block.
 */
static void find_new_block_name(void *context, struct text_part from,
                                size_t nth, char again[40]) {
  const struct trace_module_rewriter *reader = context;
  const struct renamed_block *list = reader->renamed;
  size_t i = reader->renamed_count;
  struct text_part name = from;
  (void)nth;
  part_cut_front(&name, 1);
  while (i && !(list[i - 1].block.size ? part_equals(list[i - 1].block, name)
                                       : !has_block_with_name(reader, name)))
    i--;
  if (i)
    snprintf(again, 40, "%%bareprof.j%zu", list[i - 1].number);
}

/* Writes one or more lines. Returns how many lines of the body were used. */
static size_t print_body_lines(struct trace_module_rewriter *reader,
                               size_t at) {
  struct text_part line = reader->lines[at];
  if (call_is_step(line)) {
    print_step_point(reader, line);
    return 1;
  }
  if (part_starts_with(line, call_word)) {
    print_counter_point(reader, line);
    return 1;
  }
  size_t used = reader->variable_count ? print_decision_points(reader, at) : 0;
  if (used)
    return used;
  if (reader->body.leaves && part_starts_with(line, "  ret "))
    print_function_point(reader, LABEL_ENDS);
  cfg_parse_block_label(line, &reader->block);
  part_print_pattern(reader->out, "%p\n", line);
  return 1;
}

static void print_traced_body(void *context) {
  struct trace_module_rewriter *reader = context;
  bool frames = reader->body.leaves; /* the first label is still to be
                                        written */
  for (size_t i = 0; i < reader->line_count;) {
    struct text_part name;
    if (frames && !cfg_parse_block_label(reader->lines[i], &name)) {
      print_function_point(reader, LABEL_BEGINS);
      frames = false;
    }
    i += print_body_lines(reader, i);
  }
}

/* Writes a function. A phi may come before the blocks that it names, so phis
 * are written after the whole body. */
static void print_and_clear_traced(struct trace_module_rewriter *reader) {
  const struct phi_renaming renaming = {find_new_block_name, reader};
  size_t size;
  list_decision_variables(reader);
  mark_open_decisions(reader);
  char *text =
      cc_print_to_memory(&reader->out, print_traced_body, reader, &size);
  struct bytes body = {(const unsigned char *)text, size};
  for (struct text_part line; text_next_line(&body, &line);)
    if (part_contains(line, " = phi "))
      phi_print_renamed(reader->out, line, &renaming);
    else
      part_print_pattern(reader->out, "%p\n", line);
  free(text);
  arena_clear(&reader->memory);
  reader->lines = NULL;
  reader->variables = NULL;
  reader->renamed = NULL;
  reader->line_count = reader->variable_count = reader->renamed_count = 0;
  reader->block.size = 0;
}

/* ---- the module ---- */

static void print_traced_module(void *context) {
  struct trace_module_rewriter *reader = context;
  bool inside = false;
  expressions_parse_and_check(&reader->check, reader->module);
  for (struct text_part line; text_next_line(&reader->module, &line);) {
    if (part_starts_with(line, "target datalayout"))
      reader->points->wide = !part_contains(line, "-p:32:32");
    if (inside && !part_starts_with(line, "}")) {
      CC_APPEND(&reader->memory, reader->lines, reader->line_count, line);
      continue;
    }
    if (inside)
      print_and_clear_traced(reader);
    inside = part_starts_with(line, "define ");
    part_print_pattern(reader->out, "%p\n", line);
  }
}

const char *trace_points_insert(struct trace_points *points,
                                struct bytes module, FILE *out) {
  struct trace_module_rewriter reader = {
      .points = points,
      .out = out,
      .module = module,
      .check = {.functions = module_functions_none},
      .kept = {.limit = BYTE_COUNTERS_MOST},
      .memory = {.limit = BYTE_COUNTERS_MOST}};
  const char *error = catch_error(print_traced_module, &reader);
  points->kept = reader.kept.count;
  expressions_free(&reader.check.functions);
  map_free(&reader.kept);
  arena_free(&reader.memory);
  return error;
}

/* Finishes the lowered module. Offset 0 of the counters' section is not used,
 * because it is the address of counters that the linker dropped. */
const char *trace_points_rewrite_lowered(const struct trace_points *points,
                                         struct bytes module, FILE *out) {
  const struct text_part nowhere = {0};
  struct increment increment;
  size_t counts = 0;
  for (struct text_part line; text_next_line(&module, &line);) {
    unsigned lines = increment_parse(&increment, line, module, nowhere);
    if (lines)
      part_print_pattern(out, "  %p = add i64 0, 1\n", increment.result);
    else if (increment_touches_counter(line) ||
             (part_starts_with(line, "  ") && text_has_counter_symbol(line)))
      return unknown;
    else
      part_print_pattern(out, "%p\n", line);
    counts += lines != 0;
    while (lines > 1 && lines--)
      text_next_line(&module, &line);
  }
  if (counts < points->kept)
    return unknown;
  if (counts)
    fputs("\nmodule asm \".pushsection " LABELS_COUNTS
          ",\\22\\22,%nobits\"\nmodule asm \".p2align 3\"\n"
          "module asm \".zero 8\"\nmodule asm \".popsection\"\n",
          out);
  return NULL;
}

void trace_points_free(struct trace_points *points) {
  arena_free(&points->memory);
}
