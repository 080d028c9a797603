/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An address to its scopes, and each to what its entry, and those that it
 * refers to, say.
 */
#include "dwarf_inline.h"

#include "dwarf_scope.h"

/* An entry refers to its declaration, which may refer to another. */
enum { REFERENCES_MOST = 8 };

/* How many segments begin at the address or before. */
static size_t segments_until(const struct dwarf_scopes *scopes,
                             uint64_t address) {
  size_t low = 0, high = scopes->segment_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (scopes->segments[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static uint32_t innermost(const struct dwarf_scopes *scopes, uint64_t address) {
  size_t until = segments_until(scopes, address);
  return until ? scopes->segments[until - 1].scope : 0;
}

static bool find_entry(const struct dwarf *dwarf, uint64_t offset,
                       const struct dwarf_unit **unit,
                       struct dwarf_entry *entry) {
  struct dwarf_walk walk;
  *unit = dwarf_unit_at(dwarf, offset);
  if (!*unit)
    return false;
  dwarf_walk_begin(&walk, dwarf, *unit, offset);
  return dwarf_walk_next(&walk, entry) && entry->shape;
}

/* A unit's number of a file to that of all. */
static uint32_t file_of(const struct dwarf_lines *lines,
                        const struct dwarf_unit *unit, uint64_t file) {
  const struct dwarf_unit_files *list =
      (const struct dwarf_unit_files *)lines->units.data;
  size_t low = 0, high = lines->units.size / sizeof *list;
  size_t count = high;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (list[middle].lines < unit->lines)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && list[low].lines == unit->lines && file < list[low].count
             ? (uint32_t)(list[low].first + file)
             : 0;
}

static const char *text_of(const struct dwarf *dwarf,
                           const struct dwarf_unit *unit,
                           const struct dwarf_wanted *wanted) {
  const char *text =
      wanted->found ? dwarf_string(dwarf, unit, &wanted->value) : NULL;
  return text ? text : "";
}

/* What is known of the function itself: from its entry, or from those that it
 * refers to. */
static void describe(const struct dwarf *dwarf, const struct dwarf_lines *lines,
                     uint64_t offset, struct dwarf_frame *frame) {
  enum { NAME, LINKAGE, MIPS, LINE, FILE_OF, ORIGIN, SPECIFICATION, COUNT };
  const struct dwarf_unit *unit;
  struct dwarf_entry entry;
  for (unsigned i = 0; i < REFERENCES_MOST; i++) {
    struct dwarf_wanted wanted[COUNT] = {{.name = AT_NAME},
                                         {.name = AT_LINKAGE_NAME},
                                         {.name = AT_MIPS_LINKAGE_NAME},
                                         {.name = AT_DECL_LINE},
                                         {.name = AT_DECL_FILE},
                                         {.name = AT_ABSTRACT_ORIGIN},
                                         {.name = AT_SPECIFICATION}};
    if (!find_entry(dwarf, offset, &unit, &entry))
      return;
    dwarf_take(dwarf, unit, &entry, wanted, COUNT);
    if (!*frame->plain)
      frame->plain = text_of(dwarf, unit, &wanted[NAME]);
    if (!*frame->name)
      frame->name = text_of(dwarf, unit, &wanted[LINKAGE]);
    if (!*frame->name)
      frame->name = text_of(dwarf, unit, &wanted[MIPS]);
    if (!frame->declared && wanted[LINE].found)
      frame->declared = (uint32_t)wanted[LINE].value.number;
    if (!frame->declared_in && wanted[FILE_OF].found)
      frame->declared_in = file_of(lines, unit, wanted[FILE_OF].value.number);
    const struct dwarf_wanted *next =
        &wanted[wanted[ORIGIN].found ? ORIGIN : SPECIFICATION];
    if (!next->found || !dwarf_reference(unit, &next->value, &offset))
      return;
  }
}

static uint32_t number_of(const struct dwarf_wanted *wanted) {
  return wanted->found ? (uint32_t)wanted->value.number : 0;
}

/* Where the caller, which is the next frame, was when it called this scope. */
static void find_call(const struct dwarf_scopes *scopes,
                      const struct dwarf_lines *lines,
                      const struct dwarf_scope *scope,
                      struct dwarf_frame *caller) {
  enum { PATH, LINE, COLUMN, DISCRIMINATOR, COUNT };
  struct dwarf_wanted wanted[COUNT] = {{.name = AT_CALL_FILE},
                                       {.name = AT_CALL_LINE},
                                       {.name = AT_CALL_COLUMN},
                                       {.name = AT_GNU_DISCRIMINATOR}};
  const struct dwarf_unit *unit;
  struct dwarf_entry entry;
  if (!find_entry(scopes->dwarf, scope->entry, &unit, &entry))
    return;
  dwarf_take(scopes->dwarf, unit, &entry, wanted, COUNT);
  if (wanted[PATH].found)
    caller->file = file_of(lines, unit, wanted[PATH].value.number);
  caller->line = number_of(&wanted[LINE]);
  caller->column = (uint16_t)number_of(&wanted[COLUMN]);
  caller->discriminator = number_of(&wanted[DISCRIMINATOR]);
}

size_t dwarf_frames(const struct dwarf_scopes *scopes,
                    const struct dwarf_lines *lines, uint64_t address,
                    struct dwarf_frame frames[DWARF_FRAMES]) {
  static const struct dwarf_frame nothing = {.name = "", .plain = ""};
  uint32_t number = innermost(scopes, address);
  const struct dwarf_row *row = dwarf_lines_find(lines, address);
  size_t count = 0;
  frames[0] = nothing;
  if (row) {
    count = !number;
    frames[0].file = row->file;
    frames[0].line = row->line;
    frames[0].column = row->column;
    frames[0].discriminator = row->discriminator;
  }
  while (number && count < DWARF_FRAMES) {
    const struct dwarf_scope *scope = &scopes->list[number];
    struct dwarf_frame *frame = &frames[count++];
    describe(scopes->dwarf, lines, scope->entry, frame);
    if (!*frame->name)
      frame->name = frame->plain;
    frame->inlined = scope->parent != 0;
    number = scope->parent;
    if (number && count < DWARF_FRAMES) {
      frames[count] = nothing;
      find_call(scopes, lines, scope, &frames[count]);
    }
  }
  return count;
}

/* gcc's functions begin behind the nops for a sled, the symbol before. */
bool dwarf_function(const struct dwarf_scopes *scopes,
                    const struct dwarf_lines *lines, struct dwarf_span span,
                    struct dwarf_frame *function) {
  size_t next = segments_until(scopes, span.begin);
  uint32_t number = next ? scopes->segments[next - 1].scope : 0;
  *function = (struct dwarf_frame){.name = "", .plain = ""};
  for (; !number && next < scopes->segment_count &&
         scopes->segments[next].begin < span.end;
       next++)
    number = scopes->segments[next].scope;
  if (!number)
    return false;
  while (scopes->list[number].parent)
    number = scopes->list[number].parent;
  describe(scopes->dwarf, lines, scopes->list[number].entry, function);
  if (!*function->name)
    function->name = function->plain;
  return true;
}
