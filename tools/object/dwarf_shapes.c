/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Abbreviations: which attributes entries have, in which forms. Units may
 * share them, so they are read in the order of their offsets, each once.
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf_inside.h"

struct shaping {
  struct dwarf *dwarf;
  struct dwarf_reader reader;
  struct buffer shapes, attributes; /* of one table */
  uint64_t budget; /* bytes: tables of a linker do not overlap, so they are no
                      more than the section */
};

static const char *add(struct buffer *buffer, const void *bytes, size_t size) {
  return buffer_append(buffer, bytes, size) ? dwarf_no_memory : NULL;
}

static const char *read_attributes(struct shaping *shaping,
                                   struct dwarf_shape *shape) {
  struct dwarf_reader *reader = &shaping->reader;
  const char *error = NULL;
  uint64_t name, form;
  while (!error) {
    struct dwarf_attribute attribute = {0};
    if (!dwarf_uleb(reader, &name) || !dwarf_uleb(reader, &form))
      return dwarf_damaged;
    if (!name && !form)
      return NULL;
    if (name > UINT16_MAX || !dwarf_form_known(form))
      return "its debug information has forms that are not known here; take "
             "a newer bareprof";
    if (form == FORM_IMPLICIT_CONST &&
        !read_sleb128(&reader->at, reader->end, &attribute.constant))
      return dwarf_damaged;
    attribute.name = (uint16_t)name;
    attribute.form = (uint16_t)form;
    shape->fixed = dwarf_form_fixed(shape, form) && shape->fixed;
    shape->attribute_count++;
    error = add(&shaping->attributes, &attribute, sizeof attribute);
  }
  return error;
}

/* The next shape; *end: there is none. */
static const char *read_shape(struct shaping *shaping, bool *end) {
  struct dwarf_reader *reader = &shaping->reader;
  struct dwarf_shape shape = {.fixed = true};
  uint64_t tag, children;
  if (!dwarf_uleb(reader, &shape.code))
    return dwarf_damaged;
  *end = shape.code == 0;
  if (*end)
    return NULL;
  if (!dwarf_uleb(reader, &tag) || !dwarf_number(reader, 1, &children) ||
      tag > UINT16_MAX)
    return dwarf_damaged;
  shape.tag = (uint16_t)tag;
  shape.children = children != 0;
  const char *error = read_attributes(shaping, &shape);
  return error ? error : add(&shaping->shapes, &shape, sizeof shape);
}

static int by_code(const void *left, const void *right) {
  const struct dwarf_shape *a = left, *b = right;
  return a->code < b->code ? -1 : a->code > b->code;
}

/* What was read goes where it stays. */
static const char *keep(struct shaping *shaping, struct dwarf_shapes *to) {
  struct arena *arena = &shaping->dwarf->arena;
  size_t count = shaping->shapes.size / sizeof *to->list;
  struct dwarf_shape *shapes =
      arena_take(arena, shaping->shapes.size + sizeof *shapes);
  struct dwarf_attribute *attributes =
      arena_take(arena, shaping->attributes.size + sizeof *attributes);
  if (!shapes || !attributes)
    return dwarf_no_memory;
  if (count)
    memcpy(shapes, shaping->shapes.data, shaping->shapes.size);
  if (shaping->attributes.size)
    memcpy(attributes, shaping->attributes.data, shaping->attributes.size);
  bool dense = true;
  for (size_t i = 0; i < count; i++) {
    shapes[i].attributes = attributes;
    attributes += shapes[i].attribute_count;
    dense &= shapes[i].code == i + 1;
  }
  if (!dense)
    qsort(shapes, count, sizeof *shapes, by_code);
  *to = (struct dwarf_shapes){shapes, count, dense};
  return NULL;
}

static const char *read_table(struct shaping *shaping, uint64_t offset,
                              struct dwarf_shapes *to) {
  struct bytes section = shaping->dwarf->sections[DWARF_ABBREV];
  const char *error = NULL;
  bool end = false;
  if (offset >= section.size)
    return dwarf_damaged;
  const unsigned char *begin = section.data + offset;
  shaping->reader =
      (struct dwarf_reader){begin, section.data + section.size, false};
  shaping->shapes.size = shaping->attributes.size = 0;
  while (!error && !end)
    error = read_shape(shaping, &end);
  uint64_t taken = (uint64_t)(shaping->reader.at - begin);
  if (!error && taken > shaping->budget)
    error = dwarf_damaged;
  shaping->budget -= taken;
  return error ? error : keep(shaping, to);
}

static int by_abbreviations(const void *left, const void *right) {
  const struct dwarf_unit *a = *(struct dwarf_unit *const *)left;
  const struct dwarf_unit *b = *(struct dwarf_unit *const *)right;
  if (a->abbreviations != b->abbreviations)
    return a->abbreviations < b->abbreviations ? -1 : 1;
  return a->begin < b->begin ? -1 : a->begin > b->begin;
}

const char *dwarf_shapes_read(struct dwarf *dwarf) {
  size_t count = dwarf->unit_count;
  size_t most = dwarf->arena.limit;
  struct shaping shaping = {.dwarf = dwarf,
                            .shapes = {.limit = most},
                            .attributes = {.limit = most},
                            .budget = dwarf->sections[DWARF_ABBREV].size};
  struct dwarf_unit **units = malloc((count + 1) * sizeof(struct dwarf_unit *));
  const char *error = units ? NULL : dwarf_no_memory;
  for (size_t i = 0; i < count && !error; i++)
    units[i] = &dwarf->units[i];
  if (!error)
    qsort(units, count, sizeof(struct dwarf_unit *), by_abbreviations);
  for (size_t i = 0; i < count && !error; i++)
    if (i && units[i]->abbreviations == units[i - 1]->abbreviations)
      units[i]->shapes = units[i - 1]->shapes;
    else
      error = read_table(&shaping, units[i]->abbreviations, &units[i]->shapes);
  free(units);
  buffer_free(&shaping.shapes);
  buffer_free(&shaping.attributes);
  return error;
}
