/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The units of .debug_info, and what their first entries say of all others.
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf_inside.h"

enum {
  UNIT_TYPE = 2,
  UNIT_SKELETON = 4,
  UNIT_SPLIT_COMPILE = 5,
  UNIT_SPLIT_TYPE = 6,
  LANGUAGE_ASSEMBLER = 0x8001
};

bool dwarf_length(struct dwarf_reader *reader, unsigned *offset_size,
                  const unsigned char **end) {
  uint64_t length;
  *offset_size = 4;
  if (!dwarf_number(reader, 4, &length))
    return false;
  if (length == UINT32_MAX) {
    *offset_size = 8;
    if (!dwarf_number(reader, 8, &length))
      return false;
  }
  if (length > dwarf_left(reader))
    return false;
  *end = reader->at + length;
  return true;
}

/* The fields behind the version, whose order is another in DWARF 5. */
static bool read_fields(struct dwarf_reader *reader, struct dwarf_unit *unit) {
  uint64_t kind = 1, size = 0, ignored;
  if (unit->version >= 5 &&
      (!dwarf_number(reader, 1, &kind) || !dwarf_number(reader, 1, &size)))
    return false;
  if (!dwarf_number(reader, unit->offset_size, &unit->abbreviations) ||
      (unit->version < 5 && !dwarf_number(reader, 1, &size)))
    return false;
  unit->type = kind == UNIT_TYPE || kind == UNIT_SPLIT_TYPE;
  unit->address_size = (uint8_t)size;
  if (kind == UNIT_SKELETON || kind == UNIT_SPLIT_COMPILE || unit->type)
    if (!dwarf_number(reader, 8, &ignored))
      return false;
  if (unit->type && !dwarf_number(reader, unit->offset_size, &ignored))
    return false;
  return size == 4 || size == 8 || size == 2;
}

/* Reads a header, and goes on to the next. */
static const char *read_header(struct dwarf *dwarf, struct dwarf_reader *reader,
                               struct dwarf_unit *unit) {
  const unsigned char *section = dwarf->sections[DWARF_INFO].data, *end;
  uint64_t version;
  unsigned offset_size;
  *unit = (struct dwarf_unit){.begin = (uint64_t)(reader->at - section),
                              .lines = UINT64_MAX,
                              .directory = ""};
  if (!dwarf_length(reader, &offset_size, &end))
    return dwarf_damaged;
  struct dwarf_reader inside = {reader->at, end, reader->big};
  if (!dwarf_number(&inside, 2, &version))
    return dwarf_damaged;
  if (version < 2 || version > 5)
    return "its debug information is not of DWARF 2 to 5; compile with "
           "-gdwarf-5";
  unit->version = (uint16_t)version;
  unit->offset_size = (uint8_t)offset_size;
  if (!read_fields(&inside, unit))
    return dwarf_damaged;
  unit->first = (uint64_t)(inside.at - section);
  unit->end = (uint64_t)(end - section);
  reader->at = end;
  return NULL;
}

static const char *read_headers(struct dwarf *dwarf) {
  struct bytes section = dwarf->sections[DWARF_INFO];
  struct dwarf_reader reader = {section.data, section.data + section.size,
                                dwarf->big};
  struct buffer units = {.limit = dwarf->arena.limit};
  const char *error = NULL;
  while (!error && reader.at != reader.end) {
    struct dwarf_unit unit;
    error = read_header(dwarf, &reader, &unit);
    if (!error && buffer_append(&units, &unit, sizeof unit))
      error = dwarf_no_memory;
  }
  dwarf->unit_count = units.size / sizeof *dwarf->units;
  dwarf->units = arena_take(&dwarf->arena, units.size);
  if (!dwarf->units)
    error = dwarf_no_memory;
  else if (units.size)
    memcpy(dwarf->units, units.data, units.size);
  buffer_free(&units);
  return error;
}

/* Where its tables begin if nothing says so: behind the first header. */
static void set_bases(struct dwarf_unit *unit) {
  if (unit->version < 5)
    return;
  unit->str_offsets = unit->addresses = unit->offset_size == 8 ? 16 : 8;
  unit->rnglists = unit->offset_size == 8 ? 20 : 12;
}

/* Bases first: the others may need them. */
static const char *read_first(struct dwarf *dwarf, struct dwarf_unit *unit) {
  enum { STRINGS, ADDRESSES, RANGES, LINES, LANGUAGE, DIRECTORY, LOW, COUNT };
  struct dwarf_wanted wanted[COUNT] = {{.name = AT_STR_OFFSETS_BASE},
                                       {.name = AT_ADDR_BASE},
                                       {.name = AT_RNGLISTS_BASE},
                                       {.name = AT_STMT_LIST},
                                       {.name = AT_LANGUAGE},
                                       {.name = AT_COMP_DIR},
                                       {.name = AT_LOW_PC}};
  struct dwarf_walk walk;
  struct dwarf_entry entry;
  dwarf_walk_begin(&walk, dwarf, unit, unit->first);
  if (!dwarf_walk_next(&walk, &entry))
    return walk.damaged ? dwarf_damaged : NULL;
  if (!entry.shape)
    return NULL;
  set_bases(unit);
  dwarf_take(dwarf, unit, &entry, wanted, COUNT);
  if (wanted[STRINGS].found)
    unit->str_offsets = wanted[STRINGS].value.number;
  if (wanted[ADDRESSES].found)
    unit->addresses = wanted[ADDRESSES].value.number;
  if (wanted[RANGES].found)
    unit->rnglists = wanted[RANGES].value.number;
  if (wanted[LINES].found && !unit->type)
    unit->lines = wanted[LINES].value.number;
  unit->assembler = wanted[LANGUAGE].found &&
                    wanted[LANGUAGE].value.number == LANGUAGE_ASSEMBLER;
  if (wanted[LOW].found)
    dwarf_address(dwarf, unit, &wanted[LOW].value, &unit->low);
  const char *directory =
      wanted[DIRECTORY].found
          ? dwarf_string(dwarf, unit, &wanted[DIRECTORY].value)
          : NULL;
  if (directory)
    unit->directory = directory;
  return NULL;
}

const char *dwarf_units_read(struct dwarf *dwarf) {
  const char *error = read_headers(dwarf);
  if (!error)
    error = dwarf_shapes_read(dwarf);
  for (size_t i = 0; i < dwarf->unit_count && !error; i++)
    error = read_first(dwarf, &dwarf->units[i]);
  return error;
}

const struct dwarf_unit *dwarf_unit_at(const struct dwarf *dwarf,
                                       uint64_t offset) {
  size_t low = 0, high = dwarf->unit_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (dwarf->units[middle].begin <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (!low)
    return NULL;
  const struct dwarf_unit *unit = &dwarf->units[low - 1];
  return offset >= unit->first && offset < unit->end ? unit : NULL;
}

bool dwarf_is_code(const struct dwarf *dwarf, uint64_t begin, uint64_t end) {
  size_t low = 0, high = dwarf->code_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (dwarf->code[middle].begin <= begin)
      low = middle + 1;
    else
      high = middle;
  }
  return low && begin < end && begin < dwarf->code[low - 1].end;
}
