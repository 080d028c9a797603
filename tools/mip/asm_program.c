/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions: a label that a .type just before calls a function, up to the
 * .size of that name. In between compilers go to other sections and back, for
 * jump tables and for cold code.
 */
#include "asm_program.h"

#include <stdlib.h>
#include <string.h>

#include "../object/md5.h"

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

/* ==== Sections. Compilers come back to one by its name alone, unless it is in
 * a group, so that name, group and `unique` number tell sections apart. */

static bool name_begins(const struct asm_text *text, struct asm_slice name,
                        const char *prefix) {
  if (name.size && text->data[name.at] == '"')
    name.at++, name.size--;
  return asm_begins(text, name, prefix);
}

static enum asm_role role_of(const struct asm_text *text, struct asm_slice name,
                             struct asm_slice flags) {
  static const char *const aside[] = {
      ".debug",     ".llvm",       ".stack_sizes", ".note", ".eh_frame",
      ".ARM.exidx", "__patchable", ".comment",     ".BTF",  "__mcount_loc",
      ".rela",      ".rel.",       ".symtab",      ".gnu.", ".xray"};
  static const char *const code[] = {".text", ".init", ".fini"};
  for (size_t i = 0; i < sizeof aside / sizeof *aside; i++)
    if (name_begins(text, name, aside[i]))
      return ASM_ASIDE;
  if (name_begins(text, name, ".gcc_except_table") ||
      name_begins(text, name, ".ARM.extab"))
    return ASM_EXCEPTIONS;
  if (flags.size)
    return memchr(text->data + flags.at, 'x', flags.size)   ? ASM_CODE
           : memchr(text->data + flags.at, 'a', flags.size) ? ASM_DATA
                                                            : ASM_ASIDE;
  for (size_t i = 0; i < sizeof code / sizeof *code; i++)
    if (asm_begins(text, name, code[i]) &&
        !asm_begins(text, name, ".init_array") &&
        !asm_begins(text, name, ".fini_array"))
      return ASM_CODE;
  return ASM_DATA;
}

static bool has(const struct asm_text *text, struct asm_slice slice, char c) {
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
  if (asm_operand(text, &rest, &operand) && has(text, operand, '"'))
    flags = operand;
  asm_operand(text, &rest, &operand);
  if (has(text, flags, 'M'))
    asm_operand(text, &rest, &operand);
  if (has(text, flags, 'G'))
    asm_operand(text, &rest, &section->group);
  while (asm_operand(text, &rest, &operand))
    if (asm_is(text, operand, "comdat"))
      section->comdat = true;
    else if (asm_is(text, operand, "unique"))
      asm_operand(text, &rest, unique);
  section->role = (uint8_t)role_of(text, section->name, flags);
}

/* ---- the table ---- */

/* MD5, because a file may be made to fill one bucket of a weaker hash. */
static uint64_t key_of(const struct asm_text *text,
                       const struct asm_section *section,
                       struct asm_slice unique) {
  unsigned char digests[3][16];
  const struct asm_slice parts[] = {section->name, section->group, unique};
  for (unsigned i = 0; i < 3; i++)
    md5(digests[i], text->data + parts[i].at, parts[i].size);
  return md5_low64(digests, sizeof digests);
}

struct asm_slot {
  uint64_t key;
  uint32_t section; /* ASM_NONE: free */
};

static struct asm_slot *slot_of(const struct asm_place *place, uint64_t key) {
  struct asm_slot *slots = place->table;
  uint32_t at = (uint32_t)key & (place->room - 1);
  while (slots[at].section != ASM_NONE && slots[at].key != key)
    at = (at + 1) & (place->room - 1);
  return slots + at;
}

static const char *grow(struct asm_place *place) {
  struct asm_place bigger = {.room = place->room ? place->room * 2 : 64};
  struct asm_slot *made = malloc(bigger.room * sizeof *made);
  const struct asm_slot *old = place->table;
  if (!made)
    return "out of memory; compile less at once";
  for (uint32_t i = 0; i < bigger.room; i++)
    made[i].section = ASM_NONE;
  bigger.table = made;
  for (uint32_t i = 0; i < place->room; i++)
    if (old[i].section != ASM_NONE)
      *slot_of(&bigger, old[i].key) = old[i];
  free(place->table);
  place->table = bigger.table;
  place->room = bigger.room;
  return NULL;
}

static const char *go_to(struct asm_place *place, struct asm_program *program,
                         const struct asm_section *section,
                         struct asm_slice unique) {
  if (program->section_count * 2 >= place->room) {
    const char *error = grow(place);
    if (error)
      return error;
  }
  uint64_t key = key_of(program->text, section, unique);
  struct asm_slot *slot = slot_of(place, key);
  if (slot->section == ASM_NONE) {
    const char *error = asm_push(&program->sections, &program->section_count,
                                 section, sizeof *section);
    if (error)
      return error;
    *slot = (struct asm_slot){key, program->section_count - 1};
  }
  place->previous = place->section;
  place->section = slot->section;
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

/* `.text` and the like: the name is the directive itself. */
static const char *go_by_directive(struct asm_place *place,
                                   struct asm_program *program,
                                   struct asm_slice word) {
  static const char *const names[] = {".text", ".data", ".bss"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (asm_is(program->text, word, names[i]))
      return go_by_name(place, program, word);
  return NULL;
}

const char *asm_place_move(struct asm_place *place, struct asm_program *program,
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
  return go_by_directive(place, program, word);
}

const char *asm_place_begin(struct asm_place *place,
                            struct asm_program *program) {
  struct asm_section section = {.role = ASM_CODE, .open = ASM_NONE};
  *place = (struct asm_place){.section = 0};
  const char *error = go_to(place, program, &section, (struct asm_slice){0, 0});
  place->section = place->previous = 0;
  return error;
}

void asm_place_free(struct asm_place *place) { free(place->table); }
