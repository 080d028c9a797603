/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions: a label that a .type just before calls a function, up to the .size
 * of that name. In between compilers go to other sections and back, for jump
 * tables and for cold code.
 */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/error.h"
#include "../../base/buffer.h"
#include "../../base/map.h"
#include "../../object/digest.h"

const char *asm_push(struct buffer *buffer, uint32_t *count, const void *item,
                     size_t size) {
  if (!buffer->limit)
    buffer->limit = (size_t)1 << 31;
  const char *error = buffer_append(buffer, item, size);
  *count += !error;
  return error;
}

/* ==== Sections. Compilers come back to one by its name alone, unless it is in
 * a group, so that name, group and `unique` number tell sections apart. */

static enum asm_role role_of(const struct asm_text *text, struct asm_slice name,
                             struct asm_slice flags) {
  struct asm_slice bare = name;
  if (name.size && text->data[name.at] == '"')
    bare.at++, bare.size--;
  if (asm_listed(text, bare,
                 ".debug* .llvm* .stack_sizes* .note* .eh_frame* .ARM.exidx* "
                 "__patchable* .comment* .BTF* __mcount_loc* .rela* .rel.* "
                 ".symtab* .gnu.* .xray*"))
    return ASM_ASIDE;
  if (asm_listed(text, bare, ".gcc_except_table* .ARM.extab*"))
    return ASM_EXCEPTIONS;
  if (flags.size)
    return memchr(text->data + flags.at, 'x', flags.size)   ? ASM_CODE
           : memchr(text->data + flags.at, 'a', flags.size) ? ASM_DATA
                                                            : ASM_ASIDE;
  return asm_listed(text, name, ".text* .init* .fini*") &&
                 !asm_listed(text, name, ".init_array* .fini_array*")
             ? ASM_CODE
             : ASM_DATA;
}

static bool has_character(const struct asm_text *text, struct asm_slice slice,
                          char c) {
  return slice.size && memchr(text->data + slice.at, c, slice.size);
}

/* NAME, "FLAGS", TYPE[, ENTRY SIZE][, GROUP[, comdat]][, unique, NUMBER] */
static void read_section(const struct asm_text *text, struct asm_slice rest,
                         struct asm_section *section,
                         struct asm_slice *unique) {
  struct asm_slice flags = {rest.at, 0}, operand;
  *section = (struct asm_section){.open = ASM_NONE};
  *unique = flags;
  if (!asm_operand(text, &rest, &section->name))
    section->name = flags;
  if (asm_operand(text, &rest, &operand) && has_character(text, operand, '"'))
    flags = operand;
  section->pure =
      has_character(text, flags, 'y') || asm_begins(text, flags, "\"0x2");
  asm_operand(text, &rest, &operand);
  if (has_character(text, flags, 'M'))
    asm_operand(text, &rest, &operand);
  if (has_character(text, flags, 'G'))
    asm_operand(text, &rest, &section->group);
  while (asm_operand(text, &rest, &operand))
    if (asm_is(text, operand, "comdat"))
      section->comdat = true;
    else if (asm_is(text, operand, "unique"))
      asm_operand(text, &rest, unique);
  section->role = (uint8_t)role_of(text, section->name, flags);
}

/* Where the assembler is while statements go by. */
struct asm_place {
  uint32_t section, previous;
  uint32_t stack[64]; /* of .pushsection */
  unsigned depth;
  struct map sections; /* by name, group and unique number, to their own */
};

static uint64_t hash_of(const struct asm_text *text, struct asm_slice slice) {
  return md5_low64(text->data + slice.at, slice.size);
}

static const char *go_to(struct asm_place *place, struct asm_program *program,
                         const struct asm_section *section,
                         struct asm_slice unique) {
  const struct asm_text *text = program->text;
  uint32_t known = program->section_count;
  uint64_t *number =
      map_at(&place->sections, hash_of(text, section->name),
             hash_of(text, section->group), hash_of(text, unique));
  if (!number)
    return out_of_memory;
  if (place->sections.count > known) {
    const char *error = asm_push(&program->sections, &program->section_count,
                                 section, sizeof *section);
    if (error)
      return error;
    *number = known;
  }
  place->previous = place->section;
  place->section = (uint32_t)*number;
  return NULL;
}

/* ---- moving ---- */

static const char *go_by_name(struct asm_place *place,
                              struct asm_program *program,
                              struct asm_slice rest) {
  struct asm_section section;
  struct asm_slice unique;
  read_section(program->text, rest, &section, &unique);
  return go_to(place, program, &section, unique);
}

/* Takes a directive that may switch sections. Returns NULL or the error.
 * asm_place_free gives the memory back. */
static const char *place_move(struct asm_place *place,
                              struct asm_program *program,
                              const struct asm_statement *statement) {
  const struct asm_text *text = program->text;
  struct asm_slice word = statement->word;
  if (asm_is(text, word, ".section"))
    return go_by_name(place, program, statement->rest);
  if (asm_is(text, word, ".pushsection")) {
    if (place->depth == sizeof place->stack / sizeof *place->stack)
      return "it has .pushsection 65 times without .popsection; give a "
             "compiler's assembly";
    place->stack[place->depth++] = place->section;
    return go_by_name(place, program, statement->rest);
  }
  if (asm_is(text, word, ".popsection") && place->depth)
    place->section = place->stack[--place->depth];
  else if (asm_is(text, word, ".previous")) {
    uint32_t now = place->section;
    place->section = place->previous;
    place->previous = now;
  } else if (asm_is(text, word, ".handlerdata")) {
    /* Until .fnend; it has no name of its own. */
    struct asm_section section = {
        .name = word, .role = ASM_EXCEPTIONS, .open = ASM_NONE};
    return go_to(place, program, &section, (struct asm_slice){word.at, 0});
  } else if (asm_is(text, word, ".fnend") &&
             asm_is(text, asm_section_at(program, place->section)->name,
                    ".handlerdata"))
    place->section = place->previous;
  /* The name is the directive itself. */
  return asm_listed(text, word, ".text .data .bss")
             ? go_by_name(place, program, word)
             : NULL;
}

static const char *place_begin(struct asm_place *place,
                               struct asm_program *program) {
  struct asm_section section = {.role = ASM_CODE, .open = ASM_NONE};
  *place = (struct asm_place){.sections = {.limit = ASM_STATEMENT_LIMIT + 1}};
  const char *error = go_to(place, program, &section, (struct asm_slice){0, 0});
  place->section = place->previous = 0;
  return error;
}

/* ==== Functions and labels. */

struct asm_reader {
  struct asm_program *program;
  struct asm_place place;
  struct asm_slice typed; /* the last that .type called a function */
  bool thumb;
};

static const char *open_function(struct asm_reader *reader, uint32_t index) {
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

static const char *take_label(struct asm_reader *reader, uint32_t index) {
  struct asm_program *program = reader->program;
  const struct asm_text *text = program->text;
  struct asm_slice name = asm_at(text, index)->word;
  struct asm_section *section = asm_section_at(program, reader->place.section);
  if (section->role != ASM_CODE)
    return NULL;
  const char *error = NULL;
  if (reader->typed.size && asm_same(text, name, reader->typed)) {
    reader->typed.size = 0;
    error = open_function(reader, index);
  } else if (!asm_begins(text, name, ".L")) {
    return NULL;
  }
  if (error)
    return error;
  struct asm_label label = {
      .name = name, .statement = index, .block = ASM_NONE};
  return asm_push(&program->labels, &program->label_count, &label,
                  sizeof label);
}

static void take_type(struct asm_reader *reader, struct asm_slice rest) {
  const struct asm_text *text = reader->program->text;
  struct asm_slice name, type;
  if (asm_operand(text, &rest, &name) && asm_operand(text, &rest, &type) &&
      asm_listed(text, type, "%function @function STT_FUNC \"function\""))
    reader->typed = name;
}

/* A .size of the open function ends it. */
static void take_size(struct asm_reader *reader, uint32_t index) {
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

static void take_state(struct asm_reader *reader,
                       const struct asm_statement *at) {
  const struct asm_text *text = reader->program->text;
  if (asm_is(text, at->word, ".code"))
    reader->thumb = asm_is(text, at->rest, "16");
  else if (asm_listed(text, at->word, ".thumb .thumb_func"))
    reader->thumb = true;
  else if (asm_is(text, at->word, ".arm"))
    reader->thumb = false;
}

/* Chains the statement to the function it is in. */
static void chain(struct asm_reader *reader, uint32_t index) {
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
  program->has_nested |= at->kind == ASM_NOTE && at->note == ASM_NOTE_NESTED;
  if (function->last != index)
    asm_at(program->text, function->last)->next = index;
  function->last = index;
}

static const char *take_statement(struct asm_reader *reader, uint32_t index) {
  struct asm_program *program = reader->program;
  struct asm_statement *at = asm_at(program->text, index);
  const char *error = NULL;
  if (at->kind == ASM_LABEL)
    error = take_label(reader, index);
  else if (at->kind == ASM_DIRECTIVE) {
    error = place_move(&reader->place, program, at);
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
  return compare_bytes(sorted_text->data + a.at, a.size,
                       sorted_text->data + b.at, b.size);
}

/* Of two labels of one name the first counts, so the order is total. */
static int compare_labels(const void *a, const void *b) {
  const struct asm_label *left = a, *right = b;
  int order = compare_names(left->name, right->name);
  return order ? order : compare_numbers(left->statement, right->statement);
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
  struct asm_reader reader = {.program = program};
  const char *error = place_begin(&reader.place, program);
  for (uint32_t i = 0; i < text->count && !error; i++)
    error = take_statement(&reader, i);
  map_free(&reader.place.sections);
  sorted_text = text;
  if (!error && program->label_count)
    qsort(program->labels.data, program->label_count, sizeof(struct asm_label),
          compare_labels);
  return error;
}

void asm_program_free(struct asm_program *program) {
  buffer_free(&program->sections);
  buffer_free(&program->functions);
  buffer_free(&program->labels);
  buffer_free(&program->blocks);
  buffer_free(&program->follows);
}
