/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Values of attributes, by their forms.
 */
#include <string.h>

#include "dwarf_inside.h"

/* How a form is written: in 1 to 8 bytes, or as: */
enum {
  NONE = 0, /* no such form */
  ADDRESS = 9,
  OFFSET,
  REFERENCE, /* an offset; in DWARF 2 an address */
  ULEB,
  SLEB,
  STRING,
  BLOCK1, /* with a length of 1 byte */
  BLOCK2,
  BLOCK4,
  BLOCK, /* with a length by ULEB128 */
  BLOCK16,
  INDIRECT,
  NOTHING,
  CONSTANT
};

enum {
  FORM_STRING = 0x08,
  FORM_STRP = 0x0E,
  FORM_REF_ADDR = 0x10,
  FORM_REF1 = 0x11,
  FORM_REF_UDATA = 0x15,
  FORM_INDIRECT = 0x16,
  FORM_STRX = 0x1A,
  FORM_ADDRX = 0x1B,
  FORM_LINE_STRP = 0x1F,
  FORM_STRX1 = 0x25,
  FORM_STRX4 = 0x28,
  FORM_ADDRX1 = 0x29,
  FORM_ADDRX4 = 0x2C,
  FORM_GNU_ADDR_INDEX = 0x1F01,
  FORM_GNU_STR_INDEX = 0x1F02,
  FORM_GNU_REF_ALT = 0x1F20,
  FORM_GNU_STRP_ALT = 0x1F21
};

static const uint8_t ways[] = {
    NONE,      ADDRESS,  NONE,   BLOCK2, BLOCK4, 2,      4,        8,
    STRING,    BLOCK,    BLOCK1, 1,      1,      SLEB,   OFFSET,   ULEB,
    REFERENCE, 1,        2,      4,      8,      ULEB,   INDIRECT, OFFSET,
    BLOCK,     NOTHING,  ULEB,   ULEB,   4,      OFFSET, BLOCK16,  OFFSET,
    8,         CONSTANT, ULEB,   ULEB,   8,      1,      2,        3,
    4,         1,        2,      3,      4};

static unsigned way_of(uint64_t form) {
  if (form < sizeof ways)
    return ways[form];
  switch (form) {
  case FORM_GNU_ADDR_INDEX:
  case FORM_GNU_STR_INDEX:
    return ULEB;
  case FORM_GNU_REF_ALT:
  case FORM_GNU_STRP_ALT:
    return OFFSET;
  default:
    return NONE;
  }
}

bool dwarf_form_known(uint64_t form) { return way_of(form) != NONE; }

bool dwarf_form_fixed(struct dwarf_shape *shape, uint64_t form) {
  unsigned way = way_of(form);
  if (way < ADDRESS)
    shape->bytes += way;
  else if (way == BLOCK16)
    shape->bytes += 16;
  else if (way == ADDRESS)
    shape->addresses++;
  else if (way == OFFSET)
    shape->offsets++;
  else
    return way == NOTHING || way == CONSTANT;
  return true;
}

static bool read_block(struct dwarf_reader *reader, uint64_t size,
                       struct bytes *block) {
  if (size > dwarf_left(reader))
    return false;
  *block = (struct bytes){reader->at, (size_t)size};
  reader->at += size;
  return true;
}

static bool read_string(struct dwarf_reader *reader, struct bytes *string) {
  const unsigned char *zero = reader->at == reader->end
                                  ? NULL
                                  : memchr(reader->at, 0, dwarf_left(reader));
  return zero && read_block(reader, (uint64_t)(zero - reader->at) + 1, string);
}

/* The form stands in front of the value, and is not of this kind again. */
static bool read_indirect(const struct dwarf_unit *unit,
                          struct dwarf_reader *reader,
                          struct dwarf_value *value) {
  uint64_t form;
  if (!dwarf_uleb(reader, &form) || form == FORM_INDIRECT ||
      form == FORM_IMPLICIT_CONST || !dwarf_form_known(form))
    return false;
  const struct dwarf_attribute attribute = {0, (uint16_t)form, 0};
  return dwarf_value_read(unit, reader, &attribute, value);
}

bool dwarf_value_read(const struct dwarf_unit *unit,
                      struct dwarf_reader *reader,
                      const struct dwarf_attribute *attribute,
                      struct dwarf_value *value) {
  unsigned way = way_of(attribute->form);
  value->form = attribute->form;
  switch (way) {
  case ADDRESS:
    return dwarf_number(reader, unit->address_size, &value->number);
  case REFERENCE:
    if (unit->version == 2)
      return dwarf_number(reader, unit->address_size, &value->number);
    /* fall through */
  case OFFSET:
    return dwarf_number(reader, unit->offset_size, &value->number);
  case ULEB:
    return dwarf_uleb(reader, &value->number);
  case SLEB: {
    int64_t number;
    bool is = read_sleb128(&reader->at, reader->end, &number);
    value->number = is ? (uint64_t)number : 0;
    return is;
  }
  case STRING:
    return read_string(reader, &value->block);
  case BLOCK1:
  case BLOCK2:
  case BLOCK4:
    return dwarf_number(reader, 1u << (way - BLOCK1), &value->number) &&
           read_block(reader, value->number, &value->block);
  case BLOCK:
    return dwarf_uleb(reader, &value->number) &&
           read_block(reader, value->number, &value->block);
  case BLOCK16:
    return read_block(reader, 16, &value->block);
  case INDIRECT:
    return read_indirect(unit, reader, value);
  case NOTHING:
    value->number = 1;
    return true;
  case CONSTANT:
    value->number = (uint64_t)attribute->constant;
    return true;
  default:
    return dwarf_number(reader, way, &value->number);
  }
}

/* Where element i is of a table whose first is at base, or NULL. */
static const unsigned char *element(struct bytes table, uint64_t base,
                                    unsigned size, uint64_t i) {
  if (base > table.size || i >= (table.size - base) / size)
    return NULL;
  return table.data + base + i * size;
}

static const char *string_at(struct bytes strings, uint64_t at) {
  return at < strings.size ? (const char *)strings.data + at : NULL;
}

static const char *indexed_string(const struct dwarf *dwarf,
                                  const struct dwarf_unit *unit, uint64_t i) {
  const unsigned char *at = element(dwarf->sections[DWARF_STR_OFFSETS],
                                    unit->str_offsets, unit->offset_size, i);
  return at ? string_at(dwarf->sections[DWARF_STR],
                        load_number(at, unit->offset_size, dwarf->big))
            : NULL;
}

const char *dwarf_string(const struct dwarf *dwarf,
                         const struct dwarf_unit *unit,
                         const struct dwarf_value *value) {
  switch (value->form) {
  case FORM_STRING:
    return (const char *)value->block.data;
  case FORM_STRP:
    return string_at(dwarf->sections[DWARF_STR], value->number);
  case FORM_LINE_STRP:
    return string_at(dwarf->sections[DWARF_LINE_STR], value->number);
  case FORM_STRX:
  case FORM_GNU_STR_INDEX:
    return indexed_string(dwarf, unit, value->number);
  default:
    return value->form >= FORM_STRX1 && value->form <= FORM_STRX4
               ? indexed_string(dwarf, unit, value->number)
               : NULL;
  }
}

bool dwarf_address_at(const struct dwarf *dwarf, const struct dwarf_unit *unit,
                      uint64_t index, uint64_t *address) {
  const unsigned char *at = element(dwarf->sections[DWARF_ADDR],
                                    unit->addresses, unit->address_size, index);
  if (at)
    *address = load_number(at, unit->address_size, dwarf->big);
  return at;
}

bool dwarf_address(const struct dwarf *dwarf, const struct dwarf_unit *unit,
                   const struct dwarf_value *value, uint64_t *address) {
  if (value->form == FORM_ADDRX || value->form == FORM_GNU_ADDR_INDEX ||
      (value->form >= FORM_ADDRX1 && value->form <= FORM_ADDRX4))
    return dwarf_address_at(dwarf, unit, value->number, address);
  *address = value->number;
  return value->form == FORM_ADDR;
}

bool dwarf_reference(const struct dwarf_unit *unit,
                     const struct dwarf_value *value, uint64_t *offset) {
  *offset = value->number;
  if (value->form == FORM_REF_ADDR)
    return true;
  *offset += unit->begin;
  return value->form >= FORM_REF1 && value->form <= FORM_REF_UDATA &&
         *offset < unit->end && value->number < unit->end;
}
