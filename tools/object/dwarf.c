/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the sections, unpacks them, and learns where code can be.
 */
#include "dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf_inside.h"

enum { EXECUTABLE = 4, TYPE_FUNCTION = 2, MACHINE_ARM = 40 };

/* What all sections may be unpacked, and each list that is made of them. */
#define MEMORY_MOST ((size_t)1 << 31)

static const char *const names[DWARF_SECTIONS] = {
    ".debug_info", ".debug_abbrev",   ".debug_line",
    ".debug_str",  ".debug_line_str", ".debug_str_offsets",
    ".debug_addr", ".debug_ranges",   ".debug_rnglists"};

/* Strings that do not end in the section are none. */
static void cut_strings(struct bytes *strings) {
  while (strings->size && strings->data[strings->size - 1])
    strings->size--;
}

static const char *load(struct dwarf *dwarf, const struct elf *elf,
                        const struct elf_section *section, unsigned to,
                        size_t *room) {
  const char *error = elf_contents(elf, section, *room, &dwarf->sections[to],
                                   &dwarf->memory[to]);
  if (error) {
    dwarf->sections[to] = (struct bytes){NULL, 0};
    return error;
  }
  *room -= dwarf->sections[to].size;
  if (to == DWARF_STR || to == DWARF_LINE_STR)
    cut_strings(&dwarf->sections[to]);
  return NULL;
}

static int by_begin(const void *left, const void *right) {
  const struct dwarf_span *a = left, *b = right;
  return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Sections, and where they have code. */
static const char *load_sections(struct dwarf *dwarf, const struct elf *elf) {
  size_t room = dwarf->arena.limit;
  const char *error = NULL;
  dwarf->code = arena_take(&dwarf->arena, (size_t)(elf->section_count + 1) *
                                              sizeof *dwarf->code);
  if (!dwarf->code)
    return dwarf_no_memory;
  for (uint64_t i = 0; i < elf->section_count && !error; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.flags & ELF_ALLOC && section.flags & EXECUTABLE && section.size)
      dwarf->code[dwarf->code_count++] =
          (struct dwarf_span){section.address, section.address + section.size};
    if (!strncmp(section.name, ".zdebug_", 8))
      return "its debug information is compressed in the old way; link with "
             "--compress-debug-sections=zlib";
    if (strncmp(section.name, ".debug_", 7))
      continue;
    for (unsigned to = 0; to < DWARF_SECTIONS; to++)
      if (!strcmp(section.name, names[to]) && !dwarf->sections[to].data)
        error = load(dwarf, elf, &section, to, &room);
  }
  qsort(dwarf->code, dwarf->code_count, sizeof *dwarf->code, by_begin);
  return error;
}

/* Where linkers leave what they drop, there may be a function too. */
static void find_first(struct dwarf *dwarf, const struct elf *elf) {
  if (!dwarf_is_code(dwarf, 0, 1))
    return;
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t value = symbol.value;
    if (elf->machine == MACHINE_ARM)
      value &= ~(uint64_t)1;
    if (!value && symbol.section && symbol.type == TYPE_FUNCTION &&
        symbol.size > dwarf->first_size)
      dwarf->first_size = symbol.size;
  }
}

const char *dwarf_open(struct dwarf *dwarf, const struct elf *elf) {
  size_t most = elf_most(elf);
  *dwarf = (struct dwarf){
      .big = elf->big,
      .wide = elf->wide,
      .arena = {.limit = most < MEMORY_MOST ? most : MEMORY_MOST}};
  if (elf->type == ELF_REL)
    return "an object, which is not linked yet; give the linked image";
  const char *error = load_sections(dwarf, elf);
  if (error)
    return error;
  if (!dwarf->sections[DWARF_INFO].size && !dwarf->sections[DWARF_LINE].size)
    return "it has no debug information; compile with -g, and give the ELF "
           "as it was linked, before strip";
  find_first(dwarf, elf);
  return dwarf_units_read(dwarf);
}

void dwarf_close(struct dwarf *dwarf) {
  for (unsigned i = 0; i < DWARF_SECTIONS; i++)
    free(dwarf->memory[i]);
  arena_free(&dwarf->arena);
  *dwarf = (struct dwarf){.units = NULL};
}
