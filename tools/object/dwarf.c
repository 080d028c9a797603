/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Opens the debug information of an ELF. Reads its sections, units and
 * abbreviations, and the address ranges that contain code. The other dwarf*.c
 * files read the contents of the units.
 */

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/arena.h"
#include "../base/buffer.h"
#include "dwarf_internal.h"

/* ==== Reads abbreviations, which list the attributes of entries and their
 * forms. Units may share a table of abbreviations, so each table is read once,
 * by ascending offset. */

struct abbreviation_reader {
  struct dwarf *dwarf;
  struct dwarf_reader reader;
  struct buffer shapes, attributes; /* the abbreviations and attributes of the
                                       current table */
  uint64_t budget; /* number of bytes that may still be read. The tables that
                      linkers write do not overlap, so together they fit the
                      section */
};

static const char *read_attribute_forms(struct abbreviation_reader *state,
                                        struct dwarf_abbreviation *shape) {
  struct dwarf_reader *reader = &state->reader;
  const char *error = NULL;
  uint64_t name, form;
  while (!error) {
    struct dwarf_attribute attribute = {0};
    if (!dwarf_read_uleb(reader, &name) || !dwarf_read_uleb(reader, &form))
      return dwarf_damaged;
    if (!name && !form)
      return NULL;
    if (name > UINT16_MAX || !dwarf_is_known_form(form))
      return "the debug information has unknown forms; upgrade bareprof";
    if (form == FORM_IMPLICIT_CONST &&
        !read_sleb128(&reader->at, reader->end, &attribute.constant))
      return dwarf_damaged;
    attribute.name = (uint16_t)name;
    attribute.form = (uint16_t)form;
    shape->fixed = dwarf_add_form_size(shape, form) && shape->fixed;
    shape->attribute_count++;
    error =
        dwarf_append_bytes(&state->attributes, &attribute, sizeof attribute);
  }
  return error;
}

/* Reads the next abbreviation of a table, or sets *end at the table's end. */
static const char *read_abbreviation(struct abbreviation_reader *state,
                                     bool *end) {
  struct dwarf_reader *reader = &state->reader;
  struct dwarf_abbreviation shape = {.fixed = true};
  uint64_t tag, children;
  if (!dwarf_read_uleb(reader, &shape.code))
    return dwarf_damaged;
  *end = shape.code == 0;
  if (*end)
    return NULL;
  if (!dwarf_read_uleb(reader, &tag) ||
      !dwarf_read_number(reader, 1, &children) || tag > UINT16_MAX)
    return dwarf_damaged;
  shape.tag = (uint16_t)tag;
  shape.children = children != 0;
  const char *error = read_attribute_forms(state, &shape);
  return error ? error
               : dwarf_append_bytes(&state->shapes, &shape, sizeof shape);
}

ORDER_BY(by_code, struct dwarf_abbreviation, x->code);

/* Copies the abbreviations of a table to the arena. */
static const char *copy_abbreviations(struct abbreviation_reader *state,
                                      struct dwarf_abbreviations *to) {
  struct arena *arena = &state->dwarf->arena;
  size_t count = state->shapes.size / sizeof *to->list;
  struct dwarf_abbreviation *shapes =
      arena_allocate(arena, state->shapes.size + sizeof *shapes);
  struct dwarf_attribute *attributes =
      arena_allocate(arena, state->attributes.size + sizeof *attributes);
  if (!shapes || !attributes)
    return out_of_memory;
  if (count)
    memcpy(shapes, state->shapes.data, state->shapes.size);
  if (state->attributes.size)
    memcpy(attributes, state->attributes.data, state->attributes.size);
  bool dense = true;
  for (size_t i = 0; i < count; i++) {
    shapes[i].attributes = attributes;
    attributes += shapes[i].attribute_count;
    dense &= shapes[i].code == i + 1;
  }
  if (!dense)
    qsort(shapes, count, sizeof *shapes, by_code);
  *to = (struct dwarf_abbreviations){shapes, count, dense};
  return NULL;
}

static const char *read_abbreviation_table(struct abbreviation_reader *state,
                                           uint64_t offset,
                                           struct dwarf_abbreviations *to) {
  struct bytes section = state->dwarf->sections[DWARF_ABBREV];
  const char *error = NULL;
  bool end = false;
  if (offset >= section.size)
    return dwarf_damaged;
  const unsigned char *begin = section.data + offset;
  state->reader =
      (struct dwarf_reader){begin, section.data + section.size, false};
  state->shapes.size = state->attributes.size = 0;
  while (!error && !end)
    error = read_abbreviation(state, &end);
  uint64_t taken = (uint64_t)(state->reader.at - begin);
  if (!error && taken > state->budget)
    error = dwarf_damaged;
  state->budget -= taken;
  return error ? error : copy_abbreviations(state, to);
}

ORDER_BY(by_abbreviations, struct dwarf_unit *const, (*x)->abbreviations,
         (*x)->begin);

/* Reads the tables of abbreviations of all units. The units' headers must have
 * been read before. */
static const char *read_all_abbreviations(struct dwarf *dwarf) {
  size_t count = dwarf->unit_count;
  size_t most = dwarf->arena.limit;
  struct abbreviation_reader state = {.dwarf = dwarf,
                                      .shapes = {.limit = most},
                                      .attributes = {.limit = most},
                                      .budget =
                                          dwarf->sections[DWARF_ABBREV].size};
  struct dwarf_unit **units = malloc((count + 1) * sizeof(struct dwarf_unit *));
  const char *error = units ? NULL : out_of_memory;
  for (size_t i = 0; i < count && !error; i++)
    units[i] = &dwarf->units[i];
  if (!error)
    qsort(units, count, sizeof(struct dwarf_unit *), by_abbreviations);
  for (size_t i = 0; i < count && !error; i++)
    if (i && units[i]->abbreviations == units[i - 1]->abbreviations)
      units[i]->abbreviations_list = units[i - 1]->abbreviations_list;
    else
      error = read_abbreviation_table(&state, units[i]->abbreviations,
                                      &units[i]->abbreviations_list);
  free(units);
  buffer_free(&state.shapes);
  buffer_free(&state.attributes);
  return error;
}

/* ==== Reads the units of .debug_info. Some attributes of a unit's first entry
 * apply to all entries of the unit. */

enum {
  UNIT_TYPE = 2,
  UNIT_SKELETON = 4,
  UNIT_SPLIT_COMPILE = 5,
  UNIT_SPLIT_TYPE = 6,
  LANGUAGE_ASSEMBLER = 0x8001
};

bool dwarf_read_unit_length(struct dwarf_reader *reader, unsigned *offset_size,
                            const unsigned char **end) {
  uint64_t length;
  *offset_size = 4;
  if (!dwarf_read_number(reader, 4, &length))
    return false;
  if (length == UINT32_MAX) {
    *offset_size = 8;
    if (!dwarf_read_number(reader, 8, &length))
      return false;
  }
  if (length > dwarf_bytes_left(reader))
    return false;
  *end = reader->at + length;
  return true;
}

/* Reads the fields after the version of a unit's header. DWARF 5 changed the
 * order of these fields. */
static bool read_unit_header_fields(struct dwarf_reader *reader,
                                    struct dwarf_unit *unit) {
  uint64_t kind = 1, size = 0, ignored;
  if (unit->version >= 5 && (!dwarf_read_number(reader, 1, &kind) ||
                             !dwarf_read_number(reader, 1, &size)))
    return false;
  if (!dwarf_read_number(reader, unit->offset_size, &unit->abbreviations) ||
      (unit->version < 5 && !dwarf_read_number(reader, 1, &size)))
    return false;
  unit->type = kind == UNIT_TYPE || kind == UNIT_SPLIT_TYPE;
  unit->address_size = (uint8_t)size;
  if (kind == UNIT_SKELETON || kind == UNIT_SPLIT_COMPILE || unit->type)
    if (!dwarf_read_number(reader, 8, &ignored))
      return false;
  if (unit->type && !dwarf_read_number(reader, unit->offset_size, &ignored))
    return false;
  return size == 4 || size == 8 || size == 2;
}

/* Reads a unit header, and advances the reader to the next unit. */
static const char *read_unit_header(struct dwarf *dwarf,
                                    struct dwarf_reader *reader,
                                    struct dwarf_unit *unit) {
  const unsigned char *section = dwarf->sections[DWARF_INFO].data, *end;
  uint64_t version;
  unsigned offset_size;
  *unit = (struct dwarf_unit){.begin = (uint64_t)(reader->at - section),
                              .lines = UINT64_MAX,
                              .directory = "",
                              .source = ""};
  if (!dwarf_read_unit_length(reader, &offset_size, &end))
    return dwarf_damaged;
  struct dwarf_reader inside = {reader->at, end, reader->big};
  if (!dwarf_read_number(&inside, 2, &version))
    return dwarf_damaged;
  if (version < 2 || version > 5)
    return "the debug information is not DWARF 2 to 5; compile with -gdwarf-5";
  unit->version = (uint16_t)version;
  unit->offset_size = (uint8_t)offset_size;
  if (!read_unit_header_fields(&inside, unit))
    return dwarf_damaged;
  unit->first = (uint64_t)(inside.at - section);
  unit->end = (uint64_t)(end - section);
  reader->at = end;
  return NULL;
}

static const char *read_unit_headers(struct dwarf *dwarf) {
  struct bytes section = dwarf->sections[DWARF_INFO];
  struct dwarf_reader reader = {section.data, section.data + section.size,
                                dwarf->big};
  struct buffer units = {.limit = dwarf->arena.limit};
  const char *error = NULL;
  while (!error && reader.at != reader.end) {
    struct dwarf_unit unit;
    error = read_unit_header(dwarf, &reader, &unit);
    if (!error && buffer_append_bytes(&units, &unit, sizeof unit))
      error = out_of_memory;
  }
  dwarf->unit_count = units.size / sizeof *dwarf->units;
  dwarf->units = arena_allocate(&dwarf->arena, units.size);
  if (!dwarf->units)
    error = out_of_memory;
  else if (units.size)
    memcpy(dwarf->units, units.data, units.size);
  buffer_free(&units);
  return error;
}

/* Sets the default offsets of a unit's tables, which point to the first byte
 * after each table's header. */
static void set_default_table_offsets(struct dwarf_unit *unit) {
  if (unit->version < 5)
    return;
  unit->str_offsets = unit->addresses = unit->offset_size == 8 ? 16 : 8;
  unit->rnglists = unit->offset_size == 8 ? 20 : 12;
}

/* Reads a unit's first entry. The attributes with offsets of tables are read
 * first, because other attributes may need the tables. */
static const char *read_unit_first_entry(struct dwarf *dwarf,
                                         struct dwarf_unit *unit) {
  enum { TEXTS, ADDRESSES, RANGES, LINES, LANGUAGE, FOLDER, NAME, LOW, COUNT };
  struct dwarf_wanted_attribute wanted[COUNT] = {{.name = AT_STR_OFFSETS_BASE},
                                                 {.name = AT_ADDR_BASE},
                                                 {.name = AT_RNGLISTS_BASE},
                                                 {.name = AT_STMT_LIST},
                                                 {.name = AT_LANGUAGE},
                                                 {.name = AT_COMP_DIR},
                                                 {.name = AT_NAME},
                                                 {.name = AT_LOW_PC}};
  struct dwarf_entry_walk walk;
  struct dwarf_entry entry;
  dwarf_walk_begin(&walk, dwarf, unit, unit->first);
  if (!dwarf_walk_next(&walk, &entry))
    return walk.damaged ? dwarf_damaged : NULL;
  if (!entry.abbreviation)
    return NULL;
  set_default_table_offsets(unit);
  dwarf_read_attributes(dwarf, unit, &entry, wanted, COUNT);
  if (wanted[TEXTS].found)
    unit->str_offsets = wanted[TEXTS].value.number;
  if (wanted[ADDRESSES].found)
    unit->addresses = wanted[ADDRESSES].value.number;
  if (wanted[RANGES].found)
    unit->rnglists = wanted[RANGES].value.number;
  if (wanted[LINES].found && !unit->type)
    unit->lines = wanted[LINES].value.number;
  unit->assembler = wanted[LANGUAGE].found &&
                    wanted[LANGUAGE].value.number == LANGUAGE_ASSEMBLER;
  if (wanted[LOW].found)
    dwarf_value_address(dwarf, unit, &wanted[LOW].value, &unit->low);
  const char *directory =
      dwarf_wanted_attribute_text(dwarf, unit, &wanted[FOLDER]);
  const char *source = dwarf_wanted_attribute_text(dwarf, unit, &wanted[NAME]);
  if (directory)
    unit->directory = directory;
  if (source)
    unit->source = source;
  return NULL;
}

static const char *read_units(struct dwarf *dwarf) {
  const char *error = read_unit_headers(dwarf);
  if (!error)
    error = read_all_abbreviations(dwarf);
  for (size_t i = 0; i < dwarf->unit_count && !error; i++)
    error = read_unit_first_entry(dwarf, &dwarf->units[i]);
  return error;
}

const char *dwarf_unit_source(const struct dwarf *dwarf, size_t unit) {
  return dwarf->units[unit].source;
}

const char *dwarf_unit_folder(const struct dwarf *dwarf, size_t unit) {
  return dwarf->units[unit].directory;
}

const struct dwarf_unit *dwarf_find_unit(const struct dwarf *dwarf,
                                         uint64_t offset) {
  size_t low = search_after(dwarf->units, dwarf->unit_count, begin, offset);
  if (!low)
    return NULL;
  const struct dwarf_unit *unit = &dwarf->units[low - 1];
  return offset >= unit->first && offset < unit->end ? unit : NULL;
}

bool dwarf_is_code_range(const struct dwarf *dwarf, uint64_t begin,
                         uint64_t end) {
  size_t low = search_after(dwarf->code, dwarf->code_count, begin, begin);
  return low && begin < end && begin < dwarf->code[low - 1].end;
}

/* ==== Opens debug information: finds and unpacks the sections. */

/* The limit for the total size of the unpacked sections, and for each list. */
#define MEMORY_MOST ((size_t)1 << 31)

static const char *const names[DWARF_SECTIONS] = {
    ".debug_info", ".debug_abbrev",   ".debug_line",
    ".debug_str",  ".debug_line_str", ".debug_str_offsets",
    ".debug_addr", ".debug_ranges",   ".debug_rnglists"};

/* Removes a last string that does not end inside the section. */
static void cut_unfinished_string(struct bytes *strings) {
  while (strings->size && strings->data[strings->size - 1])
    strings->size--;
}

static const char *load_debug_section(struct dwarf *dwarf,
                                      const struct elf *elf,
                                      const struct elf_section *section,
                                      unsigned to, size_t *room) {
  const char *error = elf_read_contents(
      elf, section, *room, &dwarf->sections[to], &dwarf->memory[to]);
  if (error) {
    dwarf->sections[to] = (struct bytes){NULL, 0};
    return error;
  }
  *room -= dwarf->sections[to].size;
  if (to == DWARF_STR || to == DWARF_LINE_STR)
    cut_unfinished_string(&dwarf->sections[to]);
  return NULL;
}

ORDER_BY(by_begin, struct dwarf_span, x->begin);

/* Loads the debug sections, and lists the sections that contain code. */
static const char *load_debug_sections(struct dwarf *dwarf,
                                       const struct elf *elf) {
  size_t room = dwarf->arena.limit;
  const char *error = NULL;
  dwarf->code = arena_allocate(&dwarf->arena, (size_t)(elf->section_count + 1) *
                                                  sizeof *dwarf->code);
  if (!dwarf->code)
    return out_of_memory;
  for (uint64_t i = 0; i < elf->section_count && !error; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.flags & ELF_ALLOC && section.flags & ELF_CODE && section.size)
      dwarf->code[dwarf->code_count++] =
          (struct dwarf_span){section.address, section.address + section.size};
    if (!strncmp(section.name, ".zdebug_", 8))
      return "the debug information has the old GNU compression; link with "
             "--compress-debug-sections=zlib";
    if (strncmp(section.name, ".debug_", 7))
      continue;
    for (unsigned to = 0; to < DWARF_SECTIONS; to++)
      if (!strcmp(section.name, names[to]) && !dwarf->sections[to].data)
        error = load_debug_section(dwarf, elf, &section, to, &room);
  }
  qsort(dwarf->code, dwarf->code_count, sizeof *dwarf->code, by_begin);
  return error;
}

/* Finds the size of a linked function at address 0. Linkers also leave the
 * debug information of dropped functions at address 0. */
static void set_function_size_at_zero(struct dwarf *dwarf,
                                      const struct elf *elf) {
  if (!dwarf_is_code_range(dwarf, 0, 1))
    return;
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t value = symbol.value;
    if (elf->machine == ELF_ARM)
      value &= ~(uint64_t)1;
    if (!value && symbol.section && symbol.type == ELF_FUNCTION &&
        symbol.size > dwarf->first_size)
      dwarf->first_size = symbol.size;
  }
}

const char dwarf_missing[] = "no debug information found; compile with -g, and "
                             "pass the ELF that ran, unstripped";

const char *dwarf_open(struct dwarf *dwarf, const struct elf *elf) {
  size_t most = elf_derived_size_limit(elf);
  *dwarf = (struct dwarf){
      .big = elf->big,
      .wide = elf->wide,
      .arena = {.limit = most < MEMORY_MOST ? most : MEMORY_MOST}};
  if (elf->type == ELF_REL)
    return ELF_NOT_LINKED;
  const char *error = load_debug_sections(dwarf, elf);
  if (error)
    return error;
  if (!dwarf->sections[DWARF_INFO].size && !dwarf->sections[DWARF_LINE].size)
    return dwarf_missing;
  set_function_size_at_zero(dwarf, elf);
  return read_units(dwarf);
}

void dwarf_close(struct dwarf *dwarf) {
  for (unsigned i = 0; i < DWARF_SECTIONS; i++)
    free(dwarf->memory[i]);
  arena_free(&dwarf->arena);
  *dwarf = (struct dwarf){.units = NULL};
}
