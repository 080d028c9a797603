/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions: a label that a .type just before calls a function, up to the
 * .size of that name. In between compilers go to other sections and back, for
 * jump tables and for cold code.
 */
#include "asm_program.h"

#include <stdlib.h>
#include <string.h>

const char *asm_push(struct buffer *buffer, uint32_t *count, const void *item,
                     size_t size) {
  if (!buffer->limit)
    buffer->limit = (size_t)1 << 31;
  const char *error = buffer_append(buffer, item, size);
  *count += !error;
  return error;
}

struct reader {
  struct asm_program *program;
  struct asm_place place;
  struct asm_slice typed; /* the last that .type called a function */
  bool thumb;
};

static const char *open_function(struct reader *reader, uint32_t index) {
  struct asm_program *program = reader->program;
  struct asm_statement *label = asm_at(program->text, index);
  struct asm_section *section = asm_section_at(program, reader->place.section);
  struct asm_function function = {.name = label->word,
                                  .label = index,
                                  .size = ASM_NONE,
                                  .last = index,
                                  .section = reader->place.section,
                                  .thumb = reader->thumb,
                                  .entry = index};
  if (label->inside)
    function.skipped = "written by hand, in file-scope assembly";
  section->open = label->function = program->function_count;
  return asm_push(&program->functions, &program->function_count, &function,
                  sizeof function);
}

static const char *take_label(struct reader *reader, uint32_t index) {
  struct asm_program *program = reader->program;
  const struct asm_text *text = program->text;
  struct asm_slice name = asm_at(text, index)->word;
  struct asm_section *section = asm_section_at(program, reader->place.section);
  if (section->role != ASM_CODE)
    return NULL;
  if (reader->typed.size && asm_same(text, name, reader->typed)) {
    reader->typed.size = 0;
    return open_function(reader, index);
  }
  if (!asm_begins(text, name, ".L"))
    return NULL;
  struct asm_label label = {
      .name = name, .statement = index, .block = ASM_NONE};
  return asm_push(&program->labels, &program->label_count, &label,
                  sizeof label);
}

static void take_type(struct reader *reader, struct asm_slice rest) {
  const struct asm_text *text = reader->program->text;
  struct asm_slice name, type;
  if (asm_operand(text, &rest, &name) && asm_operand(text, &rest, &type) &&
      (asm_is(text, type, "%function") || asm_is(text, type, "@function") ||
       asm_is(text, type, "STT_FUNC") || asm_is(text, type, "\"function\"")))
    reader->typed = name;
}

/* A .size of the open function ends it. */
static void take_size(struct reader *reader, uint32_t index) {
  struct asm_program *program = reader->program;
  struct asm_section *section = asm_section_at(program, reader->place.section);
  struct asm_slice rest = asm_at(program->text, index)->rest, name;
  if (section->open == ASM_NONE || !asm_operand(program->text, &rest, &name))
    return;
  struct asm_function *function = asm_function_at(program, section->open);
  if (!asm_same(program->text, name, function->name))
    return;
  function->size = index;
  section->open = ASM_NONE;
}

static void take_state(struct reader *reader, const struct asm_statement *at) {
  const struct asm_text *text = reader->program->text;
  if (asm_is(text, at->word, ".code"))
    reader->thumb = asm_is(text, at->rest, "16");
  else if (asm_is(text, at->word, ".thumb") ||
           asm_is(text, at->word, ".thumb_func"))
    reader->thumb = true;
  else if (asm_is(text, at->word, ".arm"))
    reader->thumb = false;
}

/* Chains the statement to the function it is in. */
static void chain(struct reader *reader, uint32_t index) {
  struct asm_program *program = reader->program;
  struct asm_statement *at = asm_at(program->text, index);
  uint32_t open = asm_section_at(program, reader->place.section)->open;
  at->section = reader->place.section;
  if (open == ASM_NONE)
    return;
  struct asm_function *function = asm_function_at(program, open);
  at->function = open;
  if (at->kind == ASM_NOTE && at->note == ASM_NOTE_COMPILED)
    function->compiled = program->has_notes = true;
  if (function->last != index)
    asm_at(program->text, function->last)->next = index;
  function->last = index;
}

static const char *take(struct reader *reader, uint32_t index) {
  struct asm_program *program = reader->program;
  struct asm_statement *at = asm_at(program->text, index);
  const char *error = NULL;
  if (at->kind == ASM_LABEL)
    error = take_label(reader, index);
  else if (at->kind == ASM_DIRECTIVE) {
    error = asm_place_move(&reader->place, program, at);
    if (asm_is(program->text, at->word, ".type"))
      take_type(reader, at->rest);
    else if (asm_is(program->text, at->word, ".size"))
      take_size(reader, index);
    take_state(reader, at);
  }
  if (!error)
    chain(reader, index);
  return error;
}

/* ---- labels ---- */

static const struct asm_text *sorted_text; /* qsort hands nothing through */

static int compare_names(struct asm_slice a, struct asm_slice b) {
  uint32_t size = a.size < b.size ? a.size : b.size;
  int order = memcmp(sorted_text->data + a.at, sorted_text->data + b.at, size);
  return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* Of two of one name the first counts: the order is total. */
static int compare(const void *a, const void *b) {
  const struct asm_label *left = a, *right = b;
  int order = compare_names(left->name, right->name);
  return order ? order
               : (left->statement > right->statement) -
                     (left->statement < right->statement);
}

struct asm_label *asm_label_find(const struct asm_program *program,
                                 struct asm_slice name) {
  struct asm_label *labels = (struct asm_label *)program->labels.data;
  uint32_t low = 0, high = program->label_count;
  sorted_text = program->text;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (compare_names(labels[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == program->label_count ||
      !asm_same(program->text, labels[low].name, name))
    return NULL;
  return labels + low;
}

const char *asm_program_read(struct asm_program *program,
                             struct asm_text *text) {
  *program = (struct asm_program){.text = text};
  struct reader reader = {.program = program};
  const char *error = asm_place_begin(&reader.place, program);
  for (uint32_t i = 0; i < text->count && !error; i++)
    error = take(&reader, i);
  asm_place_free(&reader.place);
  sorted_text = text;
  if (!error && program->label_count)
    qsort(program->labels.data, program->label_count, sizeof(struct asm_label),
          compare);
  return error;
}

void asm_program_free(struct asm_program *program) {
  buffer_free(&program->sections);
  buffer_free(&program->functions);
  buffer_free(&program->labels);
  buffer_free(&program->blocks);
}
