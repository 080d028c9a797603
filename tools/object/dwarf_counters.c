/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds counters through debug information. The compiler describes each
 * function's counters as a variable __profc_... below the function's entry,
 * with annotations for name, hash and number of counters. If the linker dropped
 * a function, the address of its counters is outside the range of counters.
 */

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/buffer.h"
#include "dwarf_internal.h"

enum { OP_ADDR = 0x03, OP_ADDRX = 0xA1, OP_GNU_ADDR_INDEX = 0xFB };

enum { HAS_NAME = 1, HAS_HASH = 2, HAS_COUNT = 4, HAS_ADDRESS = 8 };

struct counters_search {
  const struct dwarf *dwarf;
  const struct dwarf_unit *unit;
  struct dwarf_span span;
  struct buffer *list;
  struct buffer stack; /* one byte for each level, which says whether the level
                          is a function */
  size_t variable;     /* depth of the stack inside a variable; 0 outside
                          variables */
  unsigned has;
  struct dwarf_function_counters found;
};

/* ---- one variable ---- */

/* Reads the address of a variable. Accepts only a location that is a single
 * address. */
static bool read_variable_address(const struct counters_search *search,
                                  const struct dwarf_value *value,
                                  uint64_t *address) {
  struct dwarf_reader reader = {value->block.data,
                                value->block.data + value->block.size,
                                search->dwarf->big};
  uint64_t operation, index;
  if (!value->block.size || !dwarf_read_number(&reader, 1, &operation))
    return false;
  if (operation == OP_ADDR)
    return dwarf_read_number(&reader, search->unit->address_size, address);
  return (operation == OP_ADDRX || operation == OP_GNU_ADDR_INDEX) &&
         dwarf_read_uleb(&reader, &index) &&
         dwarf_indexed_address(search->dwarf, search->unit, index, address);
}

static void begin_counters_variable(struct counters_search *search,
                                    const struct dwarf_entry *entry) {
  enum { NAME, LOCATION, COUNT };
  struct dwarf_wanted_attribute wanted[COUNT] = {{.name = AT_NAME},
                                                 {.name = AT_LOCATION}};
  dwarf_read_attributes(search->dwarf, search->unit, entry, wanted, COUNT);
  const char *name =
      dwarf_wanted_attribute_text(search->dwarf, search->unit, &wanted[NAME]);
  if (!name || strncmp(name, "__profc_", 8))
    return;
  search->variable = search->stack.size + 1;
  search->found.variable = name + 8;
  search->has = 0;
  if (wanted[LOCATION].found &&
      read_variable_address(search, &wanted[LOCATION].value,
                            &search->found.address))
    search->has = HAS_ADDRESS;
}

static void read_annotation(struct counters_search *search,
                            const struct dwarf_entry *entry) {
  enum { NAME, VALUE, COUNT };
  struct dwarf_wanted_attribute wanted[COUNT] = {{.name = AT_NAME},
                                                 {.name = AT_CONST_VALUE}};
  dwarf_read_attributes(search->dwarf, search->unit, entry, wanted, COUNT);
  const char *name =
      dwarf_wanted_attribute_text(search->dwarf, search->unit, &wanted[NAME]);
  if (!name || !wanted[VALUE].found)
    return;
  if (!strcmp(name, "Function Name")) {
    search->found.name =
        dwarf_value_string(search->dwarf, search->unit, &wanted[VALUE].value);
    search->has |= search->found.name ? HAS_NAME : 0;
  } else if (!strcmp(name, "CFG Hash")) {
    search->found.hash = wanted[VALUE].value.number;
    search->has |= HAS_HASH;
  } else if (!strcmp(name, "Num Counters")) {
    search->found.count = wanted[VALUE].value.number;
    search->has |= HAS_COUNT;
  }
}

static const char *end_counters_variable(struct counters_search *search) {
  search->variable = 0;
  if (search->has != (HAS_NAME | HAS_HASH | HAS_COUNT | HAS_ADDRESS) ||
      search->found.address < search->span.begin ||
      search->found.address >= search->span.end)
    return NULL;
  return dwarf_append_bytes(search->list, &search->found, sizeof search->found);
}

/* ---- all entries ---- */

static const char *search_entry_for_counters(struct counters_search *search,
                                             const struct dwarf_entry *entry) {
  struct buffer *stack = &search->stack;
  if (!entry->abbreviation) {
    if (!stack->size)
      return NULL;
    bool ends = stack->size == search->variable;
    stack->size--;
    return ends ? end_counters_variable(search) : NULL;
  }
  unsigned tag = entry->abbreviation->tag;
  if (search->variable && stack->size == search->variable &&
      tag == TAG_ANNOTATION)
    read_annotation(search, entry);
  bool inside = stack->size && stack->data[stack->size - 1];
  if (!entry->abbreviation->children)
    return NULL;
  if (tag == TAG_VARIABLE && inside && !search->variable)
    begin_counters_variable(search, entry);
  unsigned char function = tag == TAG_SUBPROGRAM;
  return dwarf_append_bytes(stack, &function, 1);
}

ORDER_BY(by_address, struct dwarf_function_counters, x->address,
         (uintptr_t)x->name);

/* Keeps one function of each address, or with `all` one of each name there. */
static void drop_repeated_counters(struct buffer *list, bool all) {
  struct dwarf_function_counters *functions =
      (struct dwarf_function_counters *)list->data;
  size_t count = list->size / sizeof *functions, kept = 0;
  sort_array(functions, count, sizeof *functions, by_address);
  for (size_t i = 0; i < count; i++)
    if (!kept || functions[i].address != functions[kept - 1].address ||
        (all && functions[i].name != functions[kept - 1].name))
      functions[kept++] = functions[i];
  list->size = kept * sizeof *functions;
}

const char *dwarf_counters_read(const struct dwarf *dwarf,
                                struct dwarf_span span, struct buffer *list) {
  struct counters_search search = {.dwarf = dwarf,
                                   .span = span,
                                   .list = list,
                                   .stack = {.limit = dwarf->arena.limit}};
  const char *error = NULL;
  *list = (struct buffer){.limit = dwarf->arena.limit};
  for (size_t i = 0; i < dwarf->unit_count && !error; i++) {
    struct dwarf_entry_walk walk;
    struct dwarf_entry entry;
    search.unit = &dwarf->units[i];
    search.stack.size = search.variable = 0;
    dwarf_walk_begin(&walk, dwarf, search.unit, search.unit->first);
    while (!error && dwarf_walk_next(&walk, &entry))
      error = search_entry_for_counters(&search, &entry);
    if (!error && walk.damaged)
      error = dwarf_damaged;
  }
  buffer_free(&search.stack);
  drop_repeated_counters(list, !span.begin && span.end == UINT64_MAX);
  return error;
}

const char *dwarf_counters_append_names(const struct buffer *list,
                                        struct buffer *names) {
  const struct dwarf_function_counters *functions =
      (const struct dwarf_function_counters *)list->data;
  size_t count = list->size / sizeof *functions, size = count ? count - 1 : 0;
  unsigned char head[11];
  unsigned length = 0;
  for (size_t i = 0; i < count; i++)
    size += strlen(functions[i].name);
  for (uint64_t left = size; length == 0 || left; left >>= 7)
    head[length++] = (unsigned char)((left & 0x7F) | (left >> 7 ? 0x80 : 0));
  head[length++] = 0; /* the names are not compressed */
  const char *error = buffer_append_bytes(names, head, length);
  for (size_t i = 0; i < count && !error; i++) {
    if (i)
      error = buffer_append_bytes(names, "\1", 1);
    if (!error)
      error = buffer_append_bytes(names, functions[i].name,
                                  strlen(functions[i].name));
  }
  return error;
}
