/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads values of attributes by their forms, walks over entries, and reads
 * range lists. The other dwarf*.c files call these functions.
 */
#include <string.h>

#include "../base/compare.h"
#include "dwarf_internal.h"

/* The encoding of a form: a number of bytes, 1 to 8, or one of these kinds. */
enum {
  NONE = 0, /* the form is unknown */
  ADDRESS = 9,
  OFFSET,
  REFERENCE, /* a reference is an offset, but in DWARF 2 an address */
  ULEB,
  SLEB,
  STRING,
  BLOCK1, /* a block whose length takes 1 byte */
  BLOCK2,
  BLOCK4,
  BLOCK, /* a block whose length is a ULEB128 */
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

static const uint8_t encodings[] = {
    NONE,      ADDRESS,  NONE,   BLOCK2, BLOCK4, 2,      4,        8,
    STRING,    BLOCK,    BLOCK1, 1,      1,      SLEB,   OFFSET,   ULEB,
    REFERENCE, 1,        2,      4,      8,      ULEB,   INDIRECT, OFFSET,
    BLOCK,     NOTHING,  ULEB,   ULEB,   4,      OFFSET, BLOCK16,  OFFSET,
    8,         CONSTANT, ULEB,   ULEB,   8,      1,      2,        3,
    4,         1,        2,      3,      4};

static unsigned form_encoding(uint64_t form) {
  if (form < sizeof encodings)
    return encodings[form];
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

bool dwarf_is_known_form(uint64_t form) { return form_encoding(form) != NONE; }

bool dwarf_add_form_size(struct dwarf_abbreviation *shape, uint64_t form) {
  unsigned encoding = form_encoding(form);
  if (encoding < ADDRESS)
    shape->bytes += encoding;
  else if (encoding == BLOCK16)
    shape->bytes += 16;
  else if (encoding == ADDRESS)
    shape->addresses++;
  else if (encoding == OFFSET)
    shape->offsets++;
  else
    return encoding == NOTHING || encoding == CONSTANT;
  return true;
}

static bool read_block(struct dwarf_reader *reader, uint64_t size,
                       struct bytes *block) {
  if (size > dwarf_bytes_left(reader))
    return false;
  *block = (struct bytes){reader->at, (size_t)size};
  reader->at += size;
  return true;
}

static bool read_string(struct dwarf_reader *reader, struct bytes *string) {
  const unsigned char *zero =
      reader->at == reader->end
          ? NULL
          : memchr(reader->at, 0, dwarf_bytes_left(reader));
  return zero && read_block(reader, (uint64_t)(zero - reader->at) + 1, string);
}

/* Reads a value with the indirect form: the value's real form comes before it,
 * and must not be indirect, too. */
static bool read_indirect_value(const struct dwarf_unit *unit,
                                struct dwarf_reader *reader,
                                struct dwarf_value *value) {
  uint64_t form;
  if (!dwarf_read_uleb(reader, &form) || form == FORM_INDIRECT ||
      form == FORM_IMPLICIT_CONST || !dwarf_is_known_form(form))
    return false;
  const struct dwarf_attribute attribute = {0, (uint16_t)form, 0};
  return dwarf_value_read(unit, reader, &attribute, value);
}

bool dwarf_value_read(const struct dwarf_unit *unit,
                      struct dwarf_reader *reader,
                      const struct dwarf_attribute *attribute,
                      struct dwarf_value *value) {
  unsigned encoding = form_encoding(attribute->form);
  value->form = attribute->form;
  switch (encoding) {
  case ADDRESS:
    return dwarf_read_number(reader, unit->address_size, &value->number);
  case REFERENCE:
    if (unit->version == 2)
      return dwarf_read_number(reader, unit->address_size, &value->number);
    /* fall through */
  case OFFSET:
    return dwarf_read_number(reader, unit->offset_size, &value->number);
  case ULEB:
    return dwarf_read_uleb(reader, &value->number);
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
    return dwarf_read_number(reader, 1u << (encoding - BLOCK1),
                             &value->number) &&
           read_block(reader, value->number, &value->block);
  case BLOCK:
    return dwarf_read_uleb(reader, &value->number) &&
           read_block(reader, value->number, &value->block);
  case BLOCK16:
    return read_block(reader, 16, &value->block);
  case INDIRECT:
    return read_indirect_value(unit, reader, value);
  case NOTHING:
    value->number = 1;
    return true;
  case CONSTANT:
    value->number = (uint64_t)attribute->constant;
    return true;
  default:
    return dwarf_read_number(reader, encoding, &value->number);
  }
}

/* Returns a pointer to element i of the table at offset `base`, or NULL. */
static const unsigned char *find_table_element(struct bytes table,
                                               uint64_t base, unsigned size,
                                               uint64_t i) {
  if (base > table.size || i >= (table.size - base) / size)
    return NULL;
  return table.data + base + i * size;
}

static const char *find_string(struct bytes strings, uint64_t at) {
  return at < strings.size ? (const char *)strings.data + at : NULL;
}

static const char *find_indexed_string(const struct dwarf *dwarf,
                                       const struct dwarf_unit *unit,
                                       uint64_t i) {
  const unsigned char *at =
      find_table_element(dwarf->sections[DWARF_STR_OFFSETS], unit->str_offsets,
                         unit->offset_size, i);
  return at ? find_string(dwarf->sections[DWARF_STR],
                          load_number(at, unit->offset_size, dwarf->big))
            : NULL;
}

const char *dwarf_value_string(const struct dwarf *dwarf,
                               const struct dwarf_unit *unit,
                               const struct dwarf_value *value) {
  switch (value->form) {
  case FORM_STRING:
    return (const char *)value->block.data;
  case FORM_STRP:
    return find_string(dwarf->sections[DWARF_STR], value->number);
  case FORM_LINE_STRP:
    return find_string(dwarf->sections[DWARF_LINE_STR], value->number);
  case FORM_STRX:
  case FORM_GNU_STR_INDEX:
    return find_indexed_string(dwarf, unit, value->number);
  default:
    return value->form >= FORM_STRX1 && value->form <= FORM_STRX4
               ? find_indexed_string(dwarf, unit, value->number)
               : NULL;
  }
}

const char *
dwarf_wanted_attribute_text(const struct dwarf *dwarf,
                            const struct dwarf_unit *unit,
                            const struct dwarf_wanted_attribute *wanted) {
  return wanted->found ? dwarf_value_string(dwarf, unit, &wanted->value) : NULL;
}

bool dwarf_indexed_address(const struct dwarf *dwarf,
                           const struct dwarf_unit *unit, uint64_t index,
                           uint64_t *address) {
  const unsigned char *at = find_table_element(
      dwarf->sections[DWARF_ADDR], unit->addresses, unit->address_size, index);
  if (at)
    *address = load_number(at, unit->address_size, dwarf->big);
  return at;
}

bool dwarf_value_address(const struct dwarf *dwarf,
                         const struct dwarf_unit *unit,
                         const struct dwarf_value *value, uint64_t *address) {
  if (value->form == FORM_ADDRX || value->form == FORM_GNU_ADDR_INDEX ||
      (value->form >= FORM_ADDRX1 && value->form <= FORM_ADDRX4))
    return dwarf_indexed_address(dwarf, unit, value->number, address);
  *address = value->number;
  return value->form == FORM_ADDR;
}

bool dwarf_value_reference(const struct dwarf_unit *unit,
                           const struct dwarf_value *value, uint64_t *offset) {
  *offset = value->number;
  if (value->form == FORM_REF_ADDR)
    return true;
  *offset += unit->begin;
  return value->form >= FORM_REF1 && value->form <= FORM_REF_UDATA &&
         *offset < unit->end && value->number < unit->end;
}

/* ==== Walks over the entries of a unit. If an entry has a fixed size, and the
 * caller wants no attribute, the walk skips the entry in one step. */

static const struct dwarf_abbreviation *
find_abbreviation(const struct dwarf_abbreviations *shapes, uint64_t code) {
  if (shapes->dense)
    return code <= shapes->count ? &shapes->list[code - 1] : NULL;
  size_t low = search_from(shapes->list, shapes->count, code, code);
  return low < shapes->count && shapes->list[low].code == code
             ? &shapes->list[low]
             : NULL;
}

static bool skip_entry(struct dwarf_entry_walk *walk,
                       const struct dwarf_abbreviation *shape) {
  const struct dwarf_unit *unit = walk->unit;
  struct dwarf_value value;
  if (shape->fixed) {
    uint64_t size = shape->bytes +
                    (uint64_t)shape->addresses * unit->address_size +
                    (uint64_t)shape->offsets * unit->offset_size;
    if (size > dwarf_bytes_left(&walk->reader))
      return false;
    walk->reader.at += size;
    return true;
  }
  for (uint32_t i = 0; i < shape->attribute_count; i++)
    if (!dwarf_value_read(unit, &walk->reader, &shape->attributes[i], &value))
      return false;
  return true;
}

void dwarf_walk_begin(struct dwarf_entry_walk *walk, const struct dwarf *dwarf,
                      const struct dwarf_unit *unit, uint64_t offset) {
  const unsigned char *section = dwarf->sections[DWARF_INFO].data;
  *walk = (struct dwarf_entry_walk){
      .dwarf = dwarf,
      .unit = unit,
      .reader = {section + offset, section + unit->end, dwarf->big}};
}

bool dwarf_walk_next(struct dwarf_entry_walk *walk, struct dwarf_entry *entry) {
  struct dwarf_reader *reader = &walk->reader;
  uint64_t code = 0;
  if (reader->at == reader->end)
    return false;
  entry->offset =
      (uint64_t)(reader->at - walk->dwarf->sections[DWARF_INFO].data);
  entry->abbreviation = NULL;
  walk->damaged = !dwarf_read_uleb(reader, &code);
  entry->attributes = reader->at;
  if (walk->damaged || code == 0)
    return !walk->damaged;
  entry->abbreviation =
      find_abbreviation(&walk->unit->abbreviations_list, code);
  walk->damaged =
      !entry->abbreviation || !skip_entry(walk, entry->abbreviation);
  return !walk->damaged;
}

void dwarf_read_attributes(const struct dwarf *dwarf,
                           const struct dwarf_unit *unit,
                           const struct dwarf_entry *entry,
                           struct dwarf_wanted_attribute *wanted,
                           size_t count) {
  const struct dwarf_abbreviation *shape = entry->abbreviation;
  struct dwarf_reader reader = {entry->attributes,
                                dwarf->sections[DWARF_INFO].data + unit->end,
                                dwarf->big};
  for (uint32_t i = 0; i < shape->attribute_count; i++) {
    /* A form sets either number or block, so both must start at zero. */
    struct dwarf_value value = {0};
    if (!dwarf_value_read(unit, &reader, &shape->attributes[i], &value))
      return;
    for (size_t j = 0; j < count; j++)
      if (wanted[j].name == shape->attributes[i].name) {
        wanted[j].found = true;
        wanted[j].value = value;
        break;
      }
  }
}

/* ==== Reads range lists, which are in .debug_ranges up to DWARF 4, and in
 * .debug_rnglists from DWARF 5 on. */

enum {
  RLE_END,
  RLE_BASE_X,
  RLE_STARTX_ENDX,
  RLE_STARTX_LENGTH,
  RLE_OFFSET_PAIR,
  RLE_BASE,
  RLE_START_END,
  RLE_START_LENGTH
};

enum { FORM_RNGLISTX = 0x23 };

/* Returns whether one more list entry may be read. */
static bool spend_range_budget(const struct dwarf_range_reader *ranges) {
  return *ranges->budget && --*ranges->budget;
}

/* Reads pairs of addresses. A pair whose first address is all ones sets a new
 * base; two zeros end the list. */
static const char *read_address_pairs(const struct dwarf_range_reader *ranges,
                                      struct dwarf_reader *reader) {
  unsigned size = ranges->unit->address_size;
  uint64_t all = UINT64_MAX >> (64 - 8 * size);
  uint64_t base = ranges->unit->low;
  const char *error = NULL;
  struct dwarf_span span;
  while (!error) {
    if (!spend_range_budget(ranges) ||
        !dwarf_read_number(reader, size, &span.begin) ||
        !dwarf_read_number(reader, size, &span.end))
      return dwarf_damaged;
    if (!span.begin && !span.end)
      return NULL;
    if (span.begin == all) {
      base = span.end;
      continue;
    }
    span.begin = (span.begin + base) & all;
    span.end = (span.end + base) & all;
    error = ranges->take(ranges->context, span);
  }
  return error;
}

struct range_list_reader {
  const struct dwarf_range_reader *ranges;
  struct dwarf_reader reader;
  uint64_t base;
};

static bool read_indexed_address(struct range_list_reader *list,
                                 uint64_t *address) {
  uint64_t index;
  return dwarf_read_uleb(&list->reader, &index) &&
         dwarf_indexed_address(list->ranges->dwarf, list->ranges->unit, index,
                               address);
}

static bool read_address(struct range_list_reader *list, uint64_t *address) {
  return dwarf_read_number(&list->reader, list->ranges->unit->address_size,
                           address);
}

/* Reads an entry of a given kind. *is becomes true if the entry has a range. */
static bool read_range_entry(struct range_list_reader *list, uint64_t kind,
                             struct dwarf_span *span, bool *is) {
  uint64_t length = 0;
  bool read;
  *is = kind != RLE_BASE_X && kind != RLE_BASE;
  switch (kind) {
  case RLE_BASE_X:
    return read_indexed_address(list, &list->base);
  case RLE_BASE:
    return read_address(list, &list->base);
  case RLE_STARTX_ENDX:
    return read_indexed_address(list, &span->begin) &&
           read_indexed_address(list, &span->end);
  case RLE_START_END:
    return read_address(list, &span->begin) && read_address(list, &span->end);
  case RLE_OFFSET_PAIR:
    read = dwarf_read_uleb(&list->reader, &span->begin) &&
           dwarf_read_uleb(&list->reader, &length);
    span->end = list->base + length;
    span->begin += list->base;
    return read;
  case RLE_STARTX_LENGTH:
  case RLE_START_LENGTH:
    read = (kind == RLE_STARTX_LENGTH ? read_indexed_address(list, &span->begin)
                                      : read_address(list, &span->begin)) &&
           dwarf_read_uleb(&list->reader, &length);
    span->end = span->begin + length;
    return read;
  default:
    return false;
  }
}

static const char *read_range_list(struct range_list_reader *list) {
  const char *error = NULL;
  uint64_t kind;
  while (!error) {
    struct dwarf_span span = {0, 0};
    bool is;
    if (!spend_range_budget(list->ranges) ||
        !dwarf_read_number(&list->reader, 1, &kind))
      return dwarf_damaged;
    if (kind == RLE_END)
      return NULL;
    if (!read_range_entry(list, kind, &span, &is))
      return dwarf_damaged;
    if (is)
      error = list->ranges->take(list->ranges->context, span);
  }
  return error;
}

const char *dwarf_ranges_read(const struct dwarf_range_reader *ranges,
                              const struct dwarf_value *value) {
  const struct dwarf_unit *unit = ranges->unit;
  bool old = unit->version < 5;
  struct bytes section =
      ranges->dwarf->sections[old ? DWARF_RANGES : DWARF_RNGLISTS];
  uint64_t offset = value->number;
  if (value->form == FORM_RNGLISTX) {
    unsigned size = unit->offset_size;
    if (unit->rnglists > section.size ||
        offset >= (section.size - unit->rnglists) / size)
      return dwarf_damaged;
    offset = unit->rnglists +
             load_number(section.data + unit->rnglists + offset * size, size,
                         ranges->dwarf->big);
  }
  if (offset >= section.size)
    return dwarf_damaged;
  struct range_list_reader list = {
      ranges,
      {section.data + offset, section.data + section.size, ranges->dwarf->big},
      unit->low};
  return old ? read_address_pairs(ranges, &list.reader)
             : read_range_list(&list);
}
