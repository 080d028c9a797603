/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sections. Compilers come back to one by its name alone, unless it is in a
 * group, so that name, group and `unique` number tell sections apart.
 */
#include <stdlib.h>
#include <string.h>

#include "../object/md5.h"
#include "asm_program.h"

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
