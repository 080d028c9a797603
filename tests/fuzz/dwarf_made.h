/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Debug information made by a fuzzer's decisions: one or two units of any
 * version, width and byte order, with a function, another that is inlined into
 * it, its counters, ranges and lines, each attribute in one of the forms that
 * the version has. It follows the standard literally, and uses no code of the
 * tool.
 */
#ifndef DWARF_MADE_H
#define DWARF_MADE_H

#include <string.h>

#include "input.h"

enum { SECTION_ROOM = 1024 };

enum {
  MADE_INFO,
  MADE_ABBREV,
  MADE_LINE,
  MADE_STR,
  MADE_LINE_STR,
  MADE_STR_OFFSETS,
  MADE_ADDR,
  MADE_RANGES,
  MADE_RNGLISTS,
  MADE_SECTIONS
};

struct section {
  unsigned char bytes[SECTION_ROOM];
  size_t size;
};

struct made_dwarf {
  struct section sections[MADE_SECTIONS];
  unsigned version, offset, address; /* the current unit's version, and its
                                        sizes of offsets and addresses */
  bool big;
  struct input *input;
};

static const char made_strings[] =
    "outer\0inner\0__profc_outer\0Function Name\0CFG Hash\0Num Counters\0/dir";
static const unsigned made_string_at[] = {0, 6, 12, 26, 40, 49, 62};
enum { OUTER, INNER, PROFC, FUNCTION_NAME, CFG_HASH, NUM_COUNTERS, DIR };

/* Where code and counters are. */
static const uint64_t made_addresses[] = {0x1000, 0x1010, 0x1040, 0x3008, 0};
enum { BEGIN, MIDDLE, END_OF_CODE, COUNTERS, NOWHERE_AT_ALL, ADDRESSES };

static void put(struct made_dwarf *made, unsigned to, uint64_t value,
                unsigned size) {
  struct section *section = &made->sections[to];
  if (section->size + size > SECTION_ROOM)
    return;
  for (unsigned i = 0; i < size; i++)
    section->bytes[section->size + (made->big ? size - 1 - i : i)] =
        (unsigned char)(value >> 8 * i);
  section->size += size;
}

static void put_uleb(struct made_dwarf *made, unsigned to, uint64_t value) {
  for (; value > 0x7F; value >>= 7)
    put(made, to, (value & 0x7F) | 0x80, 1);
  put(made, to, value, 1);
}

static void put_text(struct made_dwarf *made, unsigned to, const char *text) {
  do
    put(made, to, (unsigned char)*text, 1);
  while (*text++);
}

/* Reserves a length, which end_length sets. Returns the offset after it. */
static size_t begin_length(struct made_dwarf *made, unsigned to) {
  if (made->offset == 8)
    put(made, to, UINT32_MAX, 4);
  put(made, to, 0, made->offset);
  return made->sections[to].size;
}

static void end_length(struct made_dwarf *made, unsigned to, size_t begin) {
  size_t end = made->sections[to].size;
  made->sections[to].size = begin - made->offset;
  put(made, to, end - begin, made->offset);
  made->sections[to].size = end;
}

/* ---- attributes ---- */

/* Adds an attribute to the abbreviation. The caller adds its value. */
static void attribute(struct made_dwarf *made, unsigned name, unsigned form) {
  put_uleb(made, MADE_ABBREV, name);
  put_uleb(made, MADE_ABBREV, form);
}

static void put_string(struct made_dwarf *made, unsigned name, unsigned which) {
  unsigned at = made_string_at[which];
  switch (take(made->input) % (made->version < 5 ? 3 : 6)) {
  case 0:
    attribute(made, name, 0x08);
    put_text(made, MADE_INFO, made_strings + at);
    return;
  case 1:
    attribute(made, name, 0x0E);
    put(made, MADE_INFO, at, made->offset);
    return;
  case 2: /* DW_FORM_indirect: the form comes before the value */
    attribute(made, name, 0x16);
    put_uleb(made, MADE_INFO, 0x08);
    put_text(made, MADE_INFO, made_strings + at);
    return;
  case 3:
    attribute(made, name, 0x1F);
    put(made, MADE_INFO, at, made->offset);
    return;
  case 4:
    attribute(made, name, 0x1A);
    put_uleb(made, MADE_INFO, which);
    return;
  default:
    attribute(made, name, 0x26);
    put(made, MADE_INFO, which, 2);
  }
}

static void put_address(struct made_dwarf *made, unsigned name,
                        unsigned which) {
  switch (take(made->input) % (made->version < 5 ? 1 : 3)) {
  case 0:
    attribute(made, name, 0x01);
    put(made, MADE_INFO, made_addresses[which], made->address);
    return;
  case 1:
    attribute(made, name, 0x1B);
    put_uleb(made, MADE_INFO, which);
    return;
  default:
    attribute(made, name, 0x29);
    put(made, MADE_INFO, which, 1);
  }
}

static void put_constant(struct made_dwarf *made, unsigned name,
                         uint64_t value) {
  switch (take(made->input) % (made->version < 5 ? 5 : 6)) {
  case 0:
    attribute(made, name, 0x0B);
    put(made, MADE_INFO, value, 1);
    return;
  case 1:
    attribute(made, name, 0x05);
    put(made, MADE_INFO, value, 2);
    return;
  case 2:
    attribute(made, name, 0x06);
    put(made, MADE_INFO, value, 4);
    return;
  case 3:
    attribute(made, name, 0x0F);
    put_uleb(made, MADE_INFO, value);
    return;
  case 4:
    attribute(made, name, 0x0D);
    put_uleb(made, MADE_INFO, value & 0x3F);
    return;
  default:
    attribute(made, name, 0x21);
    put(made, MADE_ABBREV, value & 0x3F, 1);
  }
}

/* Adds an offset in another section. */
static void put_offset(struct made_dwarf *made, unsigned name, uint64_t value) {
  unsigned old = made->offset == 8 ? 0x07 : 0x06;
  attribute(made, name, made->version < 4 ? old : 0x17);
  put(made, MADE_INFO, value, made->offset);
}

/* Adds a reference to an entry of the unit that begins at `unit`. */
static void put_reference(struct made_dwarf *made, unsigned name, size_t unit,
                          size_t entry) {
  static const unsigned forms[] = {0x12, 0x13, 0x14, 0x15, 0x10};
  unsigned which = take(made->input) % 5;
  attribute(made, name, forms[which]);
  if (which == 4)
    put(made, MADE_INFO, entry,
        made->version == 2 ? made->address : made->offset);
  else if (which == 3)
    put_uleb(made, MADE_INFO, entry - unit);
  else
    put(made, MADE_INFO, entry - unit, 2u << which);
}

/* Adds an address as a location expression. */
static void put_location(struct made_dwarf *made, unsigned which) {
  unsigned way = take(made->input) % (made->version < 5 ? 1 : 2);
  unsigned size = way ? 2 : 1 + made->address;
  static const unsigned forms[] = {0x0A, 0x03, 0x04, 0x09};
  unsigned form = take(made->input) % 4;
  attribute(made, 0x02, made->version < 4 || form < 3 ? forms[form] : 0x18);
  if (form < 3)
    put(made, MADE_INFO, size, 1u << form);
  else
    put_uleb(made, MADE_INFO, size);
  put(made, MADE_INFO, way ? 0xA1 : 0x03, 1);
  if (way)
    put(made, MADE_INFO, which, 1);
  else
    put(made, MADE_INFO, made_addresses[which], made->address);
}

#endif
