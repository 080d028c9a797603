/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Range lists: .debug_ranges up to DWARF 4, .debug_rnglists from 5 on.
 */
#include "dwarf_inside.h"

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

/* Whether one more entry of a list may be read. */
static bool spend(const struct dwarf_ranges *ranges) {
  return *ranges->budget && --*ranges->budget;
}

/* Pairs of addresses, of which the first may say that the second is a base;
 * two zeros end it. */
static const char *read_pairs(const struct dwarf_ranges *ranges,
                              struct dwarf_reader *reader) {
  unsigned size = ranges->unit->address_size;
  uint64_t all = UINT64_MAX >> (64 - 8 * size);
  uint64_t base = ranges->unit->low;
  const char *error = NULL;
  struct dwarf_span span;
  while (!error) {
    if (!spend(ranges) || !dwarf_number(reader, size, &span.begin) ||
        !dwarf_number(reader, size, &span.end))
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

struct list {
  const struct dwarf_ranges *ranges;
  struct dwarf_reader reader;
  uint64_t base;
};

static bool read_index(struct list *list, uint64_t *address) {
  uint64_t index;
  return dwarf_uleb(&list->reader, &index) &&
         dwarf_address_at(list->ranges->dwarf, list->ranges->unit, index,
                          address);
}

static bool read_address(struct list *list, uint64_t *address) {
  return dwarf_number(&list->reader, list->ranges->unit->address_size, address);
}

/* An entry of that kind; *is: it has a span. */
static bool read_kind(struct list *list, uint64_t kind, struct dwarf_span *span,
                      bool *is) {
  uint64_t length = 0;
  bool read;
  *is = kind != RLE_BASE_X && kind != RLE_BASE;
  switch (kind) {
  case RLE_BASE_X:
    return read_index(list, &list->base);
  case RLE_BASE:
    return read_address(list, &list->base);
  case RLE_STARTX_ENDX:
    return read_index(list, &span->begin) && read_index(list, &span->end);
  case RLE_START_END:
    return read_address(list, &span->begin) && read_address(list, &span->end);
  case RLE_OFFSET_PAIR:
    read = dwarf_uleb(&list->reader, &span->begin) &&
           dwarf_uleb(&list->reader, &length);
    span->end = list->base + length;
    span->begin += list->base;
    return read;
  case RLE_STARTX_LENGTH:
  case RLE_START_LENGTH:
    read = (kind == RLE_STARTX_LENGTH ? read_index(list, &span->begin)
                                      : read_address(list, &span->begin)) &&
           dwarf_uleb(&list->reader, &length);
    span->end = span->begin + length;
    return read;
  default:
    return false;
  }
}

static const char *read_list(struct list *list) {
  const char *error = NULL;
  uint64_t kind;
  while (!error) {
    struct dwarf_span span = {0, 0};
    bool is;
    if (!spend(list->ranges) || !dwarf_number(&list->reader, 1, &kind))
      return dwarf_damaged;
    if (kind == RLE_END)
      return NULL;
    if (!read_kind(list, kind, &span, &is))
      return dwarf_damaged;
    if (is)
      error = list->ranges->take(list->ranges->context, span);
  }
  return error;
}

const char *dwarf_ranges_read(const struct dwarf_ranges *ranges,
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
  struct list list = {
      ranges,
      {section.data + offset, section.data + section.size, ranges->dwarf->big},
      unit->low};
  return old ? read_pairs(ranges, &list.reader) : read_list(&list);
}
