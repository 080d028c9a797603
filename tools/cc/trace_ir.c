/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Trace points (`labels`) in IR: the front end's module comes in, the module
 * with labels instead of increments goes out. trace_assembly.c then changes the
 * assembly.
 *
 * A choice without a jump (an increment by 0 or 1; the outcome of a condition)
 * becomes a jump around a label. The rest of the block gets another name, which
 * the phis of its successors need.
 *
 * clang 19 to 22 keep the index of a decision's vector in a variable. The code
 * sets the variable to 0 where the decision begins, and a condition adds to it
 * with
 *
 *   %t = load i32, ptr %v, align 4
 *   %a = add i32 %t, 2
 *   %b = add i32 %t, 1
 *   %s = select i1 %c, i32 %a, i32 %b
 *   store i32 %s, ptr %v, align 4
 */
#include "steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/os.h"
#include "../base/buffer.h"
#include "../base/map.h"
#include "byte_counters.h"
#include "increment.h"
#include "trace_points.h"

enum { TRACE_POINTS_MOST = 1 << 30 };

const struct trace_points trace_points_none = {
    .list = {.limit = TRACE_POINTS_MOST},
    .names = {.limit = TRACE_POINTS_MOST},
    .wide = true};

static const char unknown[] =
    "the counters have an unsupported format; compile with clang 14 to 23 "
    "(MC/DC: 19 to 23), or with --counters=64";

/* The variable of a decision. */
struct decision_variable {
  struct text_part name, function;
};

/* A block whose rest is now called bareprof.j with a number. */
struct renamed_block {
  struct text_part block; /* empty: the function's first block */
  size_t number;
};

struct trace_module_reader {
  struct trace_points *labels;
  FILE *out;
  struct map kept;     /* functions that keep an increment */
  struct buffer lines; /* struct text_part: the function's body */
  struct buffer slots; /* struct decision_variable */
  struct buffer choices;
  struct decision_step *steps; /* one for each line, if there are slots */
  bool leaves;                 /* a decision may be left before its end */
  struct text_part block; /* name of the block with the current line; empty:
                               the first */
  size_t numbers;         /* number of choices so far */
};

/* ---- labels ---- */

/* Writes a new label. function: @__profn_f, with or without quotes. */
static const char *print_trace_point(struct trace_module_reader *reader,
                                     struct trace_point label,
                                     struct text_part function) {
  struct trace_points *labels = reader->labels;
  bool quoted = part_starts_with(function, "@\"");
  part_cut_front(&function, strlen("@__profn_") + quoted);
  label.name = labels->names.size;
  label.name_size = function.size - quoted;
  if (label.value > LABEL_VALUE_MOST)
    return unknown;
  const char *error =
      buffer_append_bytes(&labels->names, function.at, label.name_size);
  if (!error)
    error = buffer_append_bytes(&labels->list, &label, sizeof label);
  fprintf(reader->out,
          "  call void asm sideeffect \"" TRACE_POINT_PREFIX
          "%zu.${:uid}: nop\", \"\"() nounwind willreturn "
          "inaccessiblememonly\n",
          labels->list.size / sizeof label - 1);
  return error;
}

/* Writes a jump around labels. on[0]: the label for value 0; on[1]: for value
 * 1; NULL: none. */
static const char *print_choice(struct trace_module_reader *reader,
                                struct text_part value,
                                const struct trace_point *on[2],
                                struct text_part function) {
  struct renamed_block choice = {reader->block, reader->numbers++};
  const char *error =
      buffer_append_bytes(&reader->choices, &choice, sizeof choice);
  size_t n = choice.number;
  fprintf(reader->out,
          "  br i1 %.*s, label %%bareprof.%s%zu, label %%bareprof.%s%zu\n",
          (int)value.size, value.at, on[1] ? "t" : "j", n, on[0] ? "f" : "j",
          n);
  for (unsigned i = 2; i-- > 0 && !error;) {
    if (!on[i])
      continue;
    fprintf(reader->out, "bareprof.%s%zu:\n", i ? "t" : "f", n);
    error = print_trace_point(reader, *on[i], function);
    fprintf(reader->out, "  br label %%bareprof.j%zu\n", n);
  }
  fprintf(reader->out, "bareprof.j%zu:\n", n);
  return error;
}

/* ---- counters ---- */

static const char *print_counter_point(struct trace_module_reader *reader,
                                       struct text_part line,
                                       const struct intrinsic_call *call) {
  const struct trace_point label = {.kind = LABEL_COUNTER,
                                    .value = 8 * call->index};
  size_t known = reader->kept.count;
  if (!map_find_or_add(&reader->kept, expressions_name_key(call->function), 0,
                       0))
    return out_of_memory;
  if (reader->kept.count > known) {
    part_print_text(reader->out, line);
    fputc('\n', reader->out);
  }
  return print_trace_point(reader, label, call->function);
}

static const char *print_step_point(struct trace_module_reader *reader,
                                    const struct intrinsic_call *call,
                                    struct text_part value) {
  const struct trace_point label = {.kind = LABEL_COUNTER,
                                    .value = 8 * call->index};
  char name[40];
  snprintf(name, sizeof name, "%%bareprof.c%zu", reader->numbers);
  fprintf(reader->out, "  %s = icmp ne i64 %.*s, 0\n", name, (int)value.size,
          value.at);
  return print_choice(reader, (struct text_part){name, strlen(name)},
                      (const struct trace_point *[2]){NULL, &label},
                      call->function);
}

/* ---- decisions ---- */

static const struct decision_variable *
find_variable(const struct trace_module_reader *reader, struct text_part name,
              size_t *number) {
  const struct decision_variable *list =
      (const struct decision_variable *)reader->slots.data;
  for (*number = 0; *number < reader->slots.size / sizeof *list; ++*number)
    if (part_equals(list[*number].name, name))
      return &list[*number];
  return NULL;
}

static bool parse_outcome_update(struct text_part line, uint64_t *bit,
                                 struct decision_variable *slot) {
  struct outcome_call outcome;
  if (!call_parse_outcome(line, &outcome))
    return false;
  slot->function = outcome.call.function;
  slot->name = outcome.variable;
  *bit = outcome.call.index;
  return true;
}

static const char *find_decision_variables(struct trace_module_reader *reader,
                                           const struct text_part *lines,
                                           size_t count) {
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    struct decision_variable slot;
    uint64_t bit;
    size_t number;
    if (!part_starts_with(lines[i], "  call void @llvm.instrprof.mcdc."))
      continue;
    if (part_contains(lines[i], "mcdc.parameters("))
      continue;
    if (!parse_outcome_update(lines[i], &bit, &slot))
      return unknown;
    if (!find_variable(reader, slot.name, &number))
      error = buffer_append_bytes(&reader->slots, &slot, sizeof slot);
  }
  return error;
}

/* Reads "  %a = add i32 %t, 2", where %t is `of`. */
static bool parse_addition(struct text_part line, struct text_part of,
                           struct text_part *name, uint64_t *addend) {
  if (!part_skip_word(&line, "  "))
    return false;
  *name = text_cut_local(&line);
  return part_skip_word(&line, " = add i32 ") &&
         part_equals(text_cut_local(&line), of) &&
         part_skip_word(&line, ", ") && part_parse_number(&line, addend) &&
         (!line.size || part_starts_with(line, ", !"));
}

/* Whether the end of "load i32, ptr %v, align 4" or "store i32 %s, ptr %v,
 * align 4" names this variable. */
static bool ends_with_variable(struct text_part line, struct text_part slot) {
  return part_equals(text_cut_local(&line), slot) &&
         part_skip_word(&line, ", align 4") &&
         (!line.size || part_starts_with(line, ", !"));
}

/* Reads the five lines at the head of this file. Sets the condition and what
 * each outcome adds. */
static bool parse_outcome_lines(const struct text_part *lines, size_t count,
                                const struct decision_variable *slot,
                                struct text_part *condition, uint64_t adds[2]) {
  struct text_part name[2], line = lines[0], one, from_slot, sum;
  uint64_t value[2];
  if (count < 5 || !part_skip_word(&line, "  "))
    return false;
  from_slot = text_cut_local(&line);
  if (!part_skip_word(&line, " = load i32, ptr ") ||
      !ends_with_variable(line, slot->name) ||
      !parse_addition(lines[1], from_slot, &name[0], &value[0]) ||
      !parse_addition(lines[2], from_slot, &name[1], &value[1]))
    return false;
  line = lines[3];
  part_skip_word(&line, "  ");
  sum = text_cut_local(&line);
  struct text_part store = lines[4];
  if (!part_skip_word(&line, " = select i1 ") ||
      !part_skip_word(&store, "  store i32 ") ||
      !part_equals(text_cut_local(&store), sum) ||
      !part_skip_word(&store, ", ptr ") ||
      !ends_with_variable(store, slot->name))
    return false;
  *condition = line;
  condition->size = 0;
  struct text_part from = line;
  if (!part_skip_to(&line, ", i32 "))
    return false;
  condition->size = (size_t)(line.at - from.at) - strlen(", i32 ");
  for (unsigned i = 2; i-- > 0;) {
    one = text_cut_local(&line);
    if (!part_equals(one, name[0]) && !part_equals(one, name[1]))
      return false;
    adds[i] = value[part_equals(one, name[1])];
    if (i && !part_skip_word(&line, ", i32 "))
      return false;
  }
  return !line.size || part_starts_with(line, ", !");
}

/* Returns the decision whose variable follows `word` in the line, or NULL. */
static const struct decision_variable *
find_variable_after(const struct trace_module_reader *reader,
                    struct text_part line, const char *word, size_t *number) {
  return part_skip_to(&line, word)
             ? find_variable(reader, text_cut_local(&line), number)
             : NULL;
}

/* Whether a line uses a decision's variable in an unexpected way. */
static bool uses_variable(const struct trace_module_reader *reader,
                          struct text_part line) {
  size_t number;
  while (part_skip_to(&line, "%")) {
    struct text_part rest = {line.at - 1, line.size + 1};
    struct text_part name = text_cut_local(&rest);
    name.size -= name.size && strchr(")]", name.at[name.size - 1]);
    if (find_variable(reader, name, &number) &&
        !part_starts_with(rest, " = alloca i32, align 4"))
      return true;
  }
  return false;
}

/* Returns what a line does, and to which decision. */
static struct decision_step
classify_line(const struct trace_module_reader *reader, struct text_part line) {
  struct decision_step step = {STEP_NONE, 0, false};
  struct decision_variable update;
  uint64_t bit;
  if (find_variable_after(reader, line, "  store i32 0, ptr ", &step.slot)) {
    step.kind = STEP_BEGINS;
  } else if (parse_outcome_update(line, &bit, &update)) {
    find_variable(reader, update.name, &step.slot);
    step.kind = STEP_ENDS;
  } else if (find_variable_after(reader, line, " = load i32, ptr ",
                                 &step.slot)) {
    step.kind = STEP_ADDS;
  } else {
    step.slot = 0;
  }
  return step;
}

/* Finds where decisions are open. If the graph has an unexpected form, every
 * condition counts as part of an open decision. */
static const char *find_open_decisions(struct trace_module_reader *reader,
                                       const struct text_part *lines,
                                       size_t count) {
  reader->leaves = false;
  if (!reader->slots.size)
    return NULL;
  reader->steps = calloc(count + 1, sizeof *reader->steps);
  if (!reader->steps)
    return out_of_memory;
  for (size_t i = 0; i < count; i++)
    reader->steps[i] = classify_line(reader, lines[i]);
  const char *error =
      trace_mark_open(reader->steps, lines, count, &reader->leaves);
  for (size_t i = 0; i < count && error; i++)
    reader->steps[i].within = true;
  return error == out_of_memory ? error : NULL;
}

/* Writes a label at the function's beginning or end, if a decision may be left
 * before its end: see linked_points.c. */
static const char *print_frame_point(struct trace_module_reader *reader,
                                     enum linked_point_kind kind) {
  const struct decision_variable *any =
      (const struct decision_variable *)reader->slots.data;
  return print_trace_point(
      reader,
      (struct trace_point){.kind = kind,
                           .value = kind == LABEL_ENDS ? LABEL_NO_BIT : 0,
                           .slot = LABEL_FRAME},
      any->function);
}

/* Writes the lines of a decision. *used: how many; 0: these are not lines of a
 * decision. */
static const char *print_decision_points(struct trace_module_reader *reader,
                                         const struct text_part *lines,
                                         size_t count, size_t *used) {
  struct trace_point label[2] = {{.kind = LABEL_ADDS}, {.kind = LABEL_ADDS}};
  struct text_part condition;
  struct decision_variable update;
  uint64_t value[2];
  const struct text_part *body = (const struct text_part *)reader->lines.data;
  const struct decision_step *step = &reader->steps[lines - body];
  const struct decision_variable *slot =
      (const struct decision_variable *)reader->slots.data + step->slot;
  *used = step->kind == STEP_ADDS ? 5 : step->kind != STEP_NONE;
  if (step->kind == STEP_NONE)
    return uses_variable(reader, lines[0]) ? unknown : NULL;
  if (step->kind == STEP_BEGINS)
    return print_trace_point(
        reader, (struct trace_point){.kind = LABEL_BEGINS, .slot = step->slot},
        slot->function);
  if (step->kind == STEP_ENDS)
    return parse_outcome_update(lines[0], value, &update)
               ? print_trace_point(reader,
                                   (struct trace_point){.kind = LABEL_ENDS,
                                                        .value = value[0],
                                                        .slot = step->slot},
                                   update.function)
               : unknown;
  /* clang also adds to decisions that never begin. Such decisions never get a
   * vector. */
  bool stray = !step->within;
  if (!parse_outcome_lines(lines, count, slot, &condition, value))
    return unknown;
  for (unsigned i = 0; i < 2; i++) {
    label[i].value = value[i];
    label[i].slot = step->slot;
  }
  return !stray && (value[0] || value[1])
             ? print_choice(
                   reader, condition,
                   (const struct trace_point *[2]){value[0] ? &label[0] : NULL,
                                                   value[1] ? &label[1] : NULL},
                   slot->function)
             : NULL;
}

/* ---- a function ---- */

static bool is_block_name(const struct trace_module_reader *reader,
                          struct text_part name) {
  const struct text_part *lines = (const struct text_part *)reader->lines.data;
  struct text_part block;
  for (size_t i = 0; i < reader->lines.size / sizeof *lines; i++)
    if (cfg_is_block_label(lines[i], &block) && part_equals(block, name))
      return true;
  return false;
}

/* Returns the block's new name in `again`. No line names the first block. */
static void rename_phi_block(void *context, struct text_part from, size_t nth,
                             char again[40]) {
  const struct trace_module_reader *reader = context;
  const struct renamed_block *list =
      (const struct renamed_block *)reader->choices.data;
  size_t i = reader->choices.size / sizeof *list;
  struct text_part name = from;
  (void)nth;
  part_cut_front(&name, 1);
  while (i && !(list[i - 1].block.size ? part_equals(list[i - 1].block, name)
                                       : !is_block_name(reader, name)))
    i--;
  if (i)
    snprintf(again, 40, "%%bareprof.j%zu", list[i - 1].number);
}

/* Writes one or more lines. *used: how many. Returns NULL or the error. */
static const char *print_body_lines(struct trace_module_reader *reader,
                                    const struct text_part *lines, size_t count,
                                    size_t *used) {
  struct intrinsic_call call;
  struct text_part value, line = lines[0];
  *used = 1;
  if (call_is_step(line))
    return call_parse_step(line, &call, &value)
               ? print_step_point(reader, &call, value)
               : unknown;
  if (part_starts_with(line, call_word))
    return call_parse_increment(line, &call)
               ? print_counter_point(reader, line, &call)
               : unknown;
  const char *error = reader->slots.size
                          ? print_decision_points(reader, lines, count, used)
                          : NULL;
  if (error || (reader->slots.size && *used))
    return error;
  *used = 1;
  if (reader->leaves && part_starts_with(line, "  ret "))
    error = print_frame_point(reader, LABEL_ENDS);
  cfg_is_block_label(line, &reader->block);
  part_print_text(reader->out, line);
  fputc('\n', reader->out);
  return error;
}

/* Writes a body from memory with its phis changed. A phi may come before the
 * blocks that it names, so phis can be written only after the whole body. */
static const char *print_with_phis(const struct trace_module_reader *reader,
                                   struct bytes body, FILE *out) {
  const char *at = (const char *)body.data, *end = at + body.size;
  const struct phi_renaming renaming = {rename_phi_block,
                                        (void *)(uintptr_t)reader};
  while (at < end) {
    struct text_part line = part_line_at(at, end);
    if (part_contains(line, " = phi ")) {
      phi_print(out, line, &renaming);
    } else {
      part_print_text(out, line);
      fputc('\n', out);
    }
    at = line.at + line.size + 1;
  }
  return NULL;
}

static const char *print_function(struct trace_module_reader *reader) {
  const struct text_part *lines = (const struct text_part *)reader->lines.data;
  size_t count = reader->lines.size / sizeof *lines, used, size = 0;
  FILE *out = reader->out;
  char *body = NULL;
  const char *error = find_decision_variables(reader, lines, count);
  if (!error)
    error = find_open_decisions(reader, lines, count);
  reader->out = os_open_memory(&body, &size);
  if (!reader->out) {
    reader->out = out;
    return out_of_memory;
  }
  bool frames = reader->leaves; /* the label is not written yet */
  for (size_t i = 0; i < count && !error; i += used) {
    struct text_part name;
    if (frames && !cfg_is_block_label(lines[i], &name)) {
      error = print_frame_point(reader, LABEL_BEGINS);
      frames = false;
    }
    if (!error)
      error = print_body_lines(reader, lines + i, count - i, &used);
  }
  if (!os_close_memory(reader->out, &body, &size) && !error)
    error = out_of_memory;
  reader->out = out;
  if (!error)
    error = print_with_phis(reader, (struct bytes){(unsigned char *)body, size},
                            out);
  free(body);
  free(reader->steps);
  reader->steps = NULL;
  reader->lines.size = reader->slots.size = reader->choices.size = 0;
  reader->block.size = 0;
  return error;
}

/* ---- the module ---- */

static const char *print_module(struct trace_module_reader *reader,
                                struct bytes module) {
  const char *at = (const char *)module.data, *end = at + module.size;
  const char *error = cc_check_module(module);
  bool inside = false;
  while (at < end && !error) {
    struct text_part line = part_line_at(at, end);
    at = line.at + line.size + 1;
    if (part_starts_with(line, "target datalayout"))
      reader->labels->wide = !part_contains(line, "-p:32:32");
    if (inside && !part_starts_with(line, "}")) {
      error = buffer_append_bytes(&reader->lines, &line, sizeof line);
      continue;
    }
    if (inside)
      error = print_function(reader);
    inside = part_starts_with(line, "define ");
    part_print_text(reader->out, line);
    fputc('\n', reader->out);
  }
  return error;
}

const char *trace_points_insert(struct trace_points *labels,
                                struct bytes module, FILE *out) {
  struct trace_module_reader reader = {.labels = labels,
                                       .out = out,
                                       .kept = {.limit = TRACE_POINTS_MOST},
                                       .lines = {.limit = TRACE_POINTS_MOST},
                                       .slots = {.limit = TRACE_POINTS_MOST},
                                       .choices = {.limit = TRACE_POINTS_MOST}};
  const char *error = print_module(&reader, module);
  labels->kept = reader.kept.count;
  map_free(&reader.kept);
  buffer_free(&reader.lines);
  buffer_free(&reader.slots);
  buffer_free(&reader.choices);
  return error;
}

/* Offset 0 of the counters' section is not used: it is the address of counters
 * that the linker dropped. */
const char *trace_points_finish(const struct trace_points *labels,
                                struct bytes module, FILE *out) {
  const char *at = (const char *)module.data, *end = at + module.size;
  const struct text_part nowhere = {0};
  struct increment increment;
  size_t counts = 0;
  while (at < end) {
    struct text_part line = part_line_at(at, end);
    unsigned lines = increment_parse(&increment, line, end, nowhere);
    if (lines)
      fprintf(out, "  %.*s = add i64 0, 1\n", (int)increment.result.size,
              increment.result.at);
    else if (increment_is_unknown(line) ||
             (part_starts_with(line, "  ") && text_names_counter(line)))
      return unknown;
    else
      fprintf(out, "%.*s\n", (int)line.size, line.at);
    counts += lines != 0;
    while (lines > 1 && lines--)
      line = part_next_line(line, end);
    at = line.at + line.size + 1;
  }
  if (counts < labels->kept)
    return unknown;
  if (counts)
    fputs("\nmodule asm \".pushsection " LABELS_COUNTS
          ",\\22\\22,%nobits\"\nmodule asm \".p2align 3\"\n"
          "module asm \".zero 8\"\nmodule asm \".popsection\"\n",
          out);
  return NULL;
}

void trace_points_free(struct trace_points *labels) {
  buffer_free(&labels->list);
  buffer_free(&labels->names);
}
