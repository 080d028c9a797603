/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Trace points (`labels`) in IR: the front end's module comes in, the module
 * with labels instead of increments goes out. labels_room.c then changes the
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
#include "modes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/os.h"
#include "../base/buffer.h"
#include "../base/map.h"
#include "flags_inside.h"
#include "increment.h"
#include "labels_inside.h"

enum { LABELS_MOST = 1 << 30 };

const struct labels labels_none = {.list = {.limit = LABELS_MOST},
                                   .names = {.limit = LABELS_MOST},
                                   .wide = true};

static const char unknown[] =
    "the counters have an unsupported format; compile with clang 14 to 23 "
    "(MC/DC: 19 to 23), or with --counters=64";

/* The variable of a decision. */
struct slot {
  struct part name, function;
};

/* A block whose rest is now called bareprof.j with a number. */
struct choice {
  struct part block; /* empty: the function's first block */
  size_t number;
};

struct labels_reader {
  struct labels *labels;
  FILE *out;
  struct map kept;     /* functions that keep an increment */
  struct buffer lines; /* struct part: the function's body */
  struct buffer slots; /* struct slot */
  struct buffer choices;
  struct label_step *steps; /* one for each line, if there are slots */
  bool leaves;              /* a decision may be left before its end */
  struct part block;        /* name of the block with the current line; empty:
                               the first */
  size_t numbers;           /* number of choices so far */
};

/* ---- labels ---- */

/* Writes a new label. function: @__profn_f, with or without quotes. */
static const char *put_label(struct labels_reader *reader, struct label label,
                             struct part function) {
  struct labels *labels = reader->labels;
  bool quoted = part_begins(function, "@\"");
  part_cut(&function, strlen("@__profn_") + quoted);
  label.name = labels->names.size;
  label.name_size = function.size - quoted;
  if (label.value > LABEL_VALUE_MOST)
    return unknown;
  const char *error =
      buffer_append(&labels->names, function.at, label.name_size);
  if (!error)
    error = buffer_append(&labels->list, &label, sizeof label);
  fprintf(reader->out,
          "  call void asm sideeffect \"" LABEL_PREFIX
          "%zu.${:uid}: nop\", \"\"() nounwind willreturn "
          "inaccessiblememonly\n",
          labels->list.size / sizeof label - 1);
  return error;
}

/* Writes a jump around labels. on[0]: the label for value 0; on[1]: for value
 * 1; NULL: none. */
static const char *put_choice(struct labels_reader *reader, struct part value,
                              const struct label *on[2], struct part function) {
  struct choice choice = {reader->block, reader->numbers++};
  const char *error = buffer_append(&reader->choices, &choice, sizeof choice);
  size_t n = choice.number;
  fprintf(reader->out,
          "  br i1 %.*s, label %%bareprof.%s%zu, label %%bareprof.%s%zu\n",
          (int)value.size, value.at, on[1] ? "t" : "j", n, on[0] ? "f" : "j",
          n);
  for (unsigned i = 2; i-- > 0 && !error;) {
    if (!on[i])
      continue;
    fprintf(reader->out, "bareprof.%s%zu:\n", i ? "t" : "f", n);
    error = put_label(reader, *on[i], function);
    fprintf(reader->out, "  br label %%bareprof.j%zu\n", n);
  }
  fprintf(reader->out, "bareprof.j%zu:\n", n);
  return error;
}

/* ---- counters ---- */

static const char *put_counter(struct labels_reader *reader, struct part line,
                               const struct intrinsic_call *call) {
  const struct label label = {.kind = LABEL_COUNTER, .value = 8 * call->index};
  size_t known = reader->kept.count;
  if (!map_at(&reader->kept, differences_key(call->function), 0, 0))
    return out_of_memory;
  if (reader->kept.count > known) {
    part_put(reader->out, line);
    fputc('\n', reader->out);
  }
  return put_label(reader, label, call->function);
}

static const char *put_step(struct labels_reader *reader,
                            const struct intrinsic_call *call,
                            struct part value) {
  const struct label label = {.kind = LABEL_COUNTER, .value = 8 * call->index};
  char name[40];
  snprintf(name, sizeof name, "%%bareprof.c%zu", reader->numbers);
  fprintf(reader->out, "  %s = icmp ne i64 %.*s, 0\n", name, (int)value.size,
          value.at);
  return put_choice(reader, (struct part){name, strlen(name)},
                    (const struct label *[2]){NULL, &label}, call->function);
}

/* ---- decisions ---- */

static const struct slot *slots_of(const struct labels_reader *reader,
                                   struct part name, size_t *number) {
  const struct slot *list = (const struct slot *)reader->slots.data;
  for (*number = 0; *number < reader->slots.size / sizeof *list; ++*number)
    if (part_same(list[*number].name, name))
      return &list[*number];
  return NULL;
}

static bool take_update(struct part line, uint64_t *bit, struct slot *slot) {
  struct outcome_call outcome;
  if (!call_read_outcome(line, &outcome))
    return false;
  slot->function = outcome.call.function;
  slot->name = outcome.variable;
  *bit = outcome.call.index;
  return true;
}

static const char *find_slots(struct labels_reader *reader,
                              const struct part *lines, size_t count) {
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    struct slot slot;
    uint64_t bit;
    size_t number;
    if (!part_begins(lines[i], "  call void @llvm.instrprof.mcdc."))
      continue;
    if (part_contains(lines[i], "mcdc.parameters("))
      continue;
    if (!take_update(lines[i], &bit, &slot))
      return unknown;
    if (!slots_of(reader, slot.name, &number))
      error = buffer_append(&reader->slots, &slot, sizeof slot);
  }
  return error;
}

/* Reads "  %a = add i32 %t, 2", where %t is `of`. */
static bool take_add(struct part line, struct part of, struct part *name,
                     uint64_t *addend) {
  if (!part_take(&line, "  "))
    return false;
  *name = text_name(&line);
  return part_take(&line, " = add i32 ") && part_same(text_name(&line), of) &&
         part_take(&line, ", ") && part_take_number(&line, addend) &&
         (!line.size || part_begins(line, ", !"));
}

/* Whether the end of "load i32, ptr %v, align 4" or "store i32 %s, ptr %v,
 * align 4" names this variable. */
static bool takes_slot(struct part line, struct part slot) {
  return part_same(text_name(&line), slot) && part_take(&line, ", align 4") &&
         (!line.size || part_begins(line, ", !"));
}

/* Reads the five lines at the head of this file. Sets the condition and what
 * each outcome adds. */
static bool take_outcome(const struct part *lines, size_t count,
                         const struct slot *slot, struct part *condition,
                         uint64_t adds[2]) {
  struct part name[2], line = lines[0], one, from_slot, sum;
  uint64_t value[2];
  if (count < 5 || !part_take(&line, "  "))
    return false;
  from_slot = text_name(&line);
  if (!part_take(&line, " = load i32, ptr ") || !takes_slot(line, slot->name) ||
      !take_add(lines[1], from_slot, &name[0], &value[0]) ||
      !take_add(lines[2], from_slot, &name[1], &value[1]))
    return false;
  line = lines[3];
  part_take(&line, "  ");
  sum = text_name(&line);
  struct part store = lines[4];
  if (!part_take(&line, " = select i1 ") ||
      !part_take(&store, "  store i32 ") ||
      !part_same(text_name(&store), sum) || !part_take(&store, ", ptr ") ||
      !takes_slot(store, slot->name))
    return false;
  *condition = line;
  condition->size = 0;
  struct part from = line;
  if (!part_skip_to(&line, ", i32 "))
    return false;
  condition->size = (size_t)(line.at - from.at) - strlen(", i32 ");
  for (unsigned i = 2; i-- > 0;) {
    one = text_name(&line);
    if (!part_same(one, name[0]) && !part_same(one, name[1]))
      return false;
    adds[i] = value[part_same(one, name[1])];
    if (i && !part_take(&line, ", i32 "))
      return false;
  }
  return !line.size || part_begins(line, ", !");
}

/* Returns the decision whose variable follows `word` in the line, or NULL. */
static const struct slot *used_slot(const struct labels_reader *reader,
                                    struct part line, const char *word,
                                    size_t *number) {
  return part_skip_to(&line, word) ? slots_of(reader, text_name(&line), number)
                                   : NULL;
}

/* Whether a line uses a decision's variable in an unexpected way. */
static bool uses_slot(const struct labels_reader *reader, struct part line) {
  size_t number;
  while (part_skip_to(&line, "%")) {
    struct part rest = {line.at - 1, line.size + 1};
    struct part name = text_name(&rest);
    name.size -= name.size && strchr(")]", name.at[name.size - 1]);
    if (slots_of(reader, name, &number) &&
        !part_begins(rest, " = alloca i32, align 4"))
      return true;
  }
  return false;
}

/* Returns what a line does, and to which decision. */
static struct label_step step_of(const struct labels_reader *reader,
                                 struct part line) {
  struct label_step step = {STEP_NONE, 0, false};
  struct slot update;
  uint64_t bit;
  if (used_slot(reader, line, "  store i32 0, ptr ", &step.slot)) {
    step.kind = STEP_BEGINS;
  } else if (take_update(line, &bit, &update)) {
    slots_of(reader, update.name, &step.slot);
    step.kind = STEP_ENDS;
  } else if (used_slot(reader, line, " = load i32, ptr ", &step.slot)) {
    step.kind = STEP_ADDS;
  } else {
    step.slot = 0;
  }
  return step;
}

/* Finds where decisions are open. If the graph has an unexpected form, every
 * condition counts as part of an open decision. */
static const char *follow_decisions(struct labels_reader *reader,
                                    const struct part *lines, size_t count) {
  reader->leaves = false;
  if (!reader->slots.size)
    return NULL;
  reader->steps = calloc(count + 1, sizeof *reader->steps);
  if (!reader->steps)
    return out_of_memory;
  for (size_t i = 0; i < count; i++)
    reader->steps[i] = step_of(reader, lines[i]);
  const char *error = labels_open(reader->steps, lines, count, &reader->leaves);
  for (size_t i = 0; i < count && error; i++)
    reader->steps[i].within = true;
  return error == out_of_memory ? error : NULL;
}

/* Writes a label at the function's beginning or end, if a decision may be left
 * before its end: see code_labels.c. */
static const char *put_frame(struct labels_reader *reader,
                             enum label_kind kind) {
  const struct slot *any = (const struct slot *)reader->slots.data;
  return put_label(
      reader,
      (struct label){.kind = kind,
                     .value = kind == LABEL_ENDS ? LABEL_NO_BIT : 0,
                     .slot = LABEL_FRAME},
      any->function);
}

/* Writes the lines of a decision. *used: how many; 0: these are not lines of a
 * decision. */
static const char *put_decision(struct labels_reader *reader,
                                const struct part *lines, size_t count,
                                size_t *used) {
  struct label label[2] = {{.kind = LABEL_ADDS}, {.kind = LABEL_ADDS}};
  struct part condition;
  struct slot update;
  uint64_t value[2];
  const struct part *body = (const struct part *)reader->lines.data;
  const struct label_step *step = &reader->steps[lines - body];
  const struct slot *slot =
      (const struct slot *)reader->slots.data + step->slot;
  *used = step->kind == STEP_ADDS ? 5 : step->kind != STEP_NONE;
  if (step->kind == STEP_NONE)
    return uses_slot(reader, lines[0]) ? unknown : NULL;
  if (step->kind == STEP_BEGINS)
    return put_label(reader,
                     (struct label){.kind = LABEL_BEGINS, .slot = step->slot},
                     slot->function);
  if (step->kind == STEP_ENDS)
    return take_update(lines[0], value, &update)
               ? put_label(reader,
                           (struct label){.kind = LABEL_ENDS,
                                          .value = value[0],
                                          .slot = step->slot},
                           update.function)
               : unknown;
  /* clang also adds to decisions that never begin. Such decisions never get a
   * vector. */
  bool stray = !step->within;
  if (!take_outcome(lines, count, slot, &condition, value))
    return unknown;
  for (unsigned i = 0; i < 2; i++) {
    label[i].value = value[i];
    label[i].slot = step->slot;
  }
  return !stray && (value[0] || value[1])
             ? put_choice(
                   reader, condition,
                   (const struct label *[2]){value[0] ? &label[0] : NULL,
                                             value[1] ? &label[1] : NULL},
                   slot->function)
             : NULL;
}

/* ---- a function ---- */

static bool has_block(const struct labels_reader *reader, struct part name) {
  const struct part *lines = (const struct part *)reader->lines.data;
  struct part block;
  for (size_t i = 0; i < reader->lines.size / sizeof *lines; i++)
    if (cfg_is_block(lines[i], &block) && part_same(block, name))
      return true;
  return false;
}

/* Returns the block's new name in `again`. No line names the first block. */
static void rename_from(void *context, struct part from, size_t nth,
                        char again[40]) {
  const struct labels_reader *reader = context;
  const struct choice *list = (const struct choice *)reader->choices.data;
  size_t i = reader->choices.size / sizeof *list;
  struct part name = from;
  (void)nth;
  part_cut(&name, 1);
  while (i && !(list[i - 1].block.size ? part_same(list[i - 1].block, name)
                                       : !has_block(reader, name)))
    i--;
  if (i)
    snprintf(again, 40, "%%bareprof.j%zu", list[i - 1].number);
}

/* Writes one or more lines. *used: how many. Returns NULL or the error. */
static const char *put_lines(struct labels_reader *reader,
                             const struct part *lines, size_t count,
                             size_t *used) {
  struct intrinsic_call call;
  struct part value, line = lines[0];
  *used = 1;
  if (call_is_step(line))
    return call_read_step(line, &call, &value) ? put_step(reader, &call, value)
                                               : unknown;
  if (part_begins(line, call_word))
    return call_read(line, &call) ? put_counter(reader, line, &call) : unknown;
  const char *error =
      reader->slots.size ? put_decision(reader, lines, count, used) : NULL;
  if (error || (reader->slots.size && *used))
    return error;
  *used = 1;
  if (reader->leaves && part_begins(line, "  ret "))
    error = put_frame(reader, LABEL_ENDS);
  cfg_is_block(line, &reader->block);
  part_put(reader->out, line);
  fputc('\n', reader->out);
  return error;
}

/* Writes a body from memory with its phis changed. A phi may come before the
 * blocks that it names, so phis can be written only after the whole body. */
static const char *put_phis(const struct labels_reader *reader,
                            struct bytes body, FILE *out) {
  const char *at = (const char *)body.data, *end = at + body.size;
  const struct renaming renaming = {rename_from, (void *)(uintptr_t)reader};
  while (at < end) {
    struct part line = line_at(at, end);
    if (part_contains(line, " = phi ")) {
      phi_put(out, line, &renaming);
    } else {
      part_put(out, line);
      fputc('\n', out);
    }
    at = line.at + line.size + 1;
  }
  return NULL;
}

static const char *put_function(struct labels_reader *reader) {
  const struct part *lines = (const struct part *)reader->lines.data;
  size_t count = reader->lines.size / sizeof *lines, used, size = 0;
  FILE *out = reader->out;
  char *body = NULL;
  const char *error = find_slots(reader, lines, count);
  if (!error)
    error = follow_decisions(reader, lines, count);
  reader->out = os_memory_begin(&body, &size);
  if (!reader->out) {
    reader->out = out;
    return out_of_memory;
  }
  bool frames = reader->leaves; /* the label is not written yet */
  for (size_t i = 0; i < count && !error; i += used) {
    struct part name;
    if (frames && !cfg_is_block(lines[i], &name)) {
      error = put_frame(reader, LABEL_BEGINS);
      frames = false;
    }
    if (!error)
      error = put_lines(reader, lines + i, count - i, &used);
  }
  if (!os_memory_end(reader->out, &body, &size) && !error)
    error = out_of_memory;
  reader->out = out;
  if (!error)
    error = put_phis(reader, (struct bytes){(unsigned char *)body, size}, out);
  free(body);
  free(reader->steps);
  reader->steps = NULL;
  reader->lines.size = reader->slots.size = reader->choices.size = 0;
  reader->block.size = 0;
  return error;
}

/* ---- the module ---- */

static const char *put_module(struct labels_reader *reader,
                              struct bytes module) {
  const char *at = (const char *)module.data, *end = at + module.size;
  const char *error = check_module(module);
  bool inside = false;
  while (at < end && !error) {
    struct part line = line_at(at, end);
    at = line.at + line.size + 1;
    if (part_begins(line, "target datalayout"))
      reader->labels->wide = !part_contains(line, "-p:32:32");
    if (inside && !part_begins(line, "}")) {
      error = buffer_append(&reader->lines, &line, sizeof line);
      continue;
    }
    if (inside)
      error = put_function(reader);
    inside = part_begins(line, "define ");
    part_put(reader->out, line);
    fputc('\n', reader->out);
  }
  return error;
}

const char *labels_module(struct labels *labels, struct bytes module,
                          FILE *out) {
  struct labels_reader reader = {.labels = labels,
                                 .out = out,
                                 .kept = {.limit = LABELS_MOST},
                                 .lines = {.limit = LABELS_MOST},
                                 .slots = {.limit = LABELS_MOST},
                                 .choices = {.limit = LABELS_MOST}};
  const char *error = put_module(&reader, module);
  labels->kept = reader.kept.count;
  map_free(&reader.kept);
  buffer_free(&reader.lines);
  buffer_free(&reader.slots);
  buffer_free(&reader.choices);
  return error;
}

/* Offset 0 of the counters' section is not used: it is the address of counters
 * that the linker dropped. */
const char *labels_lowered(const struct labels *labels, struct bytes module,
                           FILE *out) {
  const char *at = (const char *)module.data, *end = at + module.size;
  const struct part nowhere = {0};
  struct increment increment;
  size_t counts = 0;
  while (at < end) {
    struct part line = line_at(at, end);
    unsigned lines = increment_read(&increment, line, end, nowhere);
    if (lines)
      fprintf(out, "  %.*s = add i64 0, 1\n", (int)increment.result.size,
              increment.result.at);
    else if (counts_otherwise(line) ||
             (part_begins(line, "  ") && of_counter(line)))
      return unknown;
    else
      fprintf(out, "%.*s\n", (int)line.size, line.at);
    counts += lines != 0;
    while (lines > 1 && lines--)
      line = line_after(line, end);
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

void labels_free(struct labels *labels) {
  buffer_free(&labels->list);
  buffer_free(&labels->names);
}
