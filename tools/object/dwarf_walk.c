/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Entries of a unit, one after the other. Those that nobody asks for are
 * stepped over at once where all their forms are of known sizes.
 */
#include "dwarf_inside.h"

static const struct dwarf_shape *find_shape(const struct dwarf_shapes *shapes,
                                            uint64_t code) {
  if (shapes->dense)
    return code <= shapes->count ? &shapes->list[code - 1] : NULL;
  size_t low = 0, high = shapes->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (shapes->list[middle].code < code)
      low = middle + 1;
    else
      high = middle;
  }
  return low < shapes->count && shapes->list[low].code == code
             ? &shapes->list[low]
             : NULL;
}

static bool skip(struct dwarf_walk *walk, const struct dwarf_shape *shape) {
  const struct dwarf_unit *unit = walk->unit;
  struct dwarf_value value;
  if (shape->fixed) {
    uint64_t size = shape->bytes +
                    (uint64_t)shape->addresses * unit->address_size +
                    (uint64_t)shape->offsets * unit->offset_size;
    if (size > dwarf_left(&walk->reader))
      return false;
    walk->reader.at += size;
    return true;
  }
  for (uint32_t i = 0; i < shape->attribute_count; i++)
    if (!dwarf_value_read(unit, &walk->reader, &shape->attributes[i], &value))
      return false;
  return true;
}

void dwarf_walk_begin(struct dwarf_walk *walk, const struct dwarf *dwarf,
                      const struct dwarf_unit *unit, uint64_t offset) {
  const unsigned char *section = dwarf->sections[DWARF_INFO].data;
  *walk = (struct dwarf_walk){
      .dwarf = dwarf,
      .unit = unit,
      .reader = {section + offset, section + unit->end, dwarf->big}};
}

bool dwarf_walk_next(struct dwarf_walk *walk, struct dwarf_entry *entry) {
  struct dwarf_reader *reader = &walk->reader;
  uint64_t code = 0;
  if (reader->at == reader->end)
    return false;
  entry->offset =
      (uint64_t)(reader->at - walk->dwarf->sections[DWARF_INFO].data);
  entry->shape = NULL;
  walk->damaged = !dwarf_uleb(reader, &code);
  entry->attributes = reader->at;
  if (walk->damaged || code == 0)
    return !walk->damaged;
  entry->shape = find_shape(&walk->unit->shapes, code);
  walk->damaged = !entry->shape || !skip(walk, entry->shape);
  return !walk->damaged;
}

void dwarf_take(const struct dwarf *dwarf, const struct dwarf_unit *unit,
                const struct dwarf_entry *entry, struct dwarf_wanted *wanted,
                size_t count) {
  const struct dwarf_shape *shape = entry->shape;
  struct dwarf_reader reader = {entry->attributes,
                                dwarf->sections[DWARF_INFO].data + unit->end,
                                dwarf->big};
  for (uint32_t i = 0; i < shape->attribute_count; i++) {
    /* Zeros, for forms do not set both the number and the block. */
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
