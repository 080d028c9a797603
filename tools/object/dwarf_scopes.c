/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the function at an address. The address belongs to an innermost scope,
 * which is a function or an inlined function. The scope's entry, and the
 * entries to which it refers, have names and lines.
 */

#include <stdlib.h>

#include "../base/compare.h"
#include "../base/buffer.h"
#include "dwarf_internal.h"

struct dwarf_scope {
  uint64_t entry;  /* offset of the scope's entry in .debug_info */
  uint32_t parent; /* scope of the function into which this function is inlined;
                      or 0 */
};

/* The most references that are followed from an entry. An entry refers to its
 * declaration, which may refer to another declaration. */
enum { REFERENCES_MOST = 8 };

/* Returns the number of segments that begin at or before the address. */
static size_t count_segments_until_address(const struct dwarf_scopes *scopes,
                                           uint64_t address) {
  return search_after(scopes->segments, scopes->segment_count, begin, address);
}

static uint32_t innermost_scope(const struct dwarf_scopes *scopes,
                                uint64_t address) {
  size_t until = count_segments_until_address(scopes, address);
  return until ? scopes->segments[until - 1].scope : 0;
}

static bool find_entry_at_offset(const struct dwarf *dwarf, uint64_t offset,
                                 const struct dwarf_unit **unit,
                                 struct dwarf_entry *entry) {
  struct dwarf_entry_walk walk;
  *unit = dwarf_find_unit(dwarf, offset);
  if (!*unit)
    return false;
  dwarf_walk_begin(&walk, dwarf, *unit, offset);
  return dwarf_walk_next(&walk, entry) && entry->abbreviation;
}

/* Converts a unit's file number to an index of all files. */
static uint32_t global_file_index(const struct dwarf_lines *lines,
                                  const struct dwarf_unit *unit,
                                  uint64_t file) {
  const struct dwarf_unit_files *list =
      (const struct dwarf_unit_files *)lines->units.data;
  size_t count = lines->units.size / sizeof *list;
  size_t low = search_from(list, count, lines, unit->lines);
  return low < count && list[low].lines == unit->lines && file < list[low].count
             ? (uint32_t)(list[low].first + file)
             : 0;
}

static const char *
wanted_text_or_empty(const struct dwarf *dwarf, const struct dwarf_unit *unit,
                     const struct dwarf_wanted_attribute *wanted) {
  const char *text = dwarf_wanted_attribute_text(dwarf, unit, wanted);
  return text ? text : "";
}

/* Reads names and declaration of a function from the function's entry, and from
 * the entries to which this entry refers. */
static void read_names_and_declaration(const struct dwarf *dwarf,
                                       const struct dwarf_lines *lines,
                                       uint64_t offset,
                                       struct dwarf_frame *frame) {
  enum { NAME, LINKAGE, MIPS, LINE, FILE_OF, ORIGIN, SPECIFICATION, COUNT };
  const struct dwarf_unit *unit;
  struct dwarf_entry entry;
  for (unsigned i = 0; i < REFERENCES_MOST; i++) {
    struct dwarf_wanted_attribute wanted[COUNT] = {
        {.name = AT_NAME},
        {.name = AT_LINKAGE_NAME},
        {.name = AT_MIPS_LINKAGE_NAME},
        {.name = AT_DECL_LINE},
        {.name = AT_DECL_FILE},
        {.name = AT_ABSTRACT_ORIGIN},
        {.name = AT_SPECIFICATION}};
    if (!find_entry_at_offset(dwarf, offset, &unit, &entry))
      return;
    dwarf_read_attributes(dwarf, unit, &entry, wanted, COUNT);
    if (!*frame->plain)
      frame->plain = wanted_text_or_empty(dwarf, unit, &wanted[NAME]);
    if (!*frame->name)
      frame->name = wanted_text_or_empty(dwarf, unit, &wanted[LINKAGE]);
    if (!*frame->name)
      frame->name = wanted_text_or_empty(dwarf, unit, &wanted[MIPS]);
    if (!frame->declared && wanted[LINE].found)
      frame->declared = (uint32_t)wanted[LINE].value.number;
    if (!frame->declared_in && wanted[FILE_OF].found)
      frame->declared_in =
          global_file_index(lines, unit, wanted[FILE_OF].value.number);
    const struct dwarf_wanted_attribute *next =
        &wanted[wanted[ORIGIN].found ? ORIGIN : SPECIFICATION];
    if (!next->found || !dwarf_value_reference(unit, &next->value, &offset))
      return;
  }
}

static uint32_t
wanted_number_or_zero(const struct dwarf_wanted_attribute *wanted) {
  return wanted->found ? (uint32_t)wanted->value.number : 0;
}

/* Sets the position in the caller's frame to the position of the call. */
static void read_call_position(const struct dwarf_scopes *scopes,
                               const struct dwarf_lines *lines,
                               const struct dwarf_scope *scope,
                               struct dwarf_frame *caller) {
  enum { PATH, LINE, COLUMN, DISCRIMINATOR, COUNT };
  struct dwarf_wanted_attribute wanted[COUNT] = {
      {.name = AT_CALL_FILE},
      {.name = AT_CALL_LINE},
      {.name = AT_CALL_COLUMN},
      {.name = AT_GNU_DISCRIMINATOR}};
  const struct dwarf_unit *unit;
  struct dwarf_entry entry;
  if (!find_entry_at_offset(scopes->dwarf, scope->entry, &unit, &entry))
    return;
  dwarf_read_attributes(scopes->dwarf, unit, &entry, wanted, COUNT);
  if (wanted[PATH].found)
    caller->file = global_file_index(lines, unit, wanted[PATH].value.number);
  caller->line = wanted_number_or_zero(&wanted[LINE]);
  caller->column = (uint16_t)wanted_number_or_zero(&wanted[COLUMN]);
  caller->discriminator = wanted_number_or_zero(&wanted[DISCRIMINATOR]);
}

size_t dwarf_find_frames(const struct dwarf_scopes *scopes,
                         const struct dwarf_lines *lines, uint64_t address,
                         struct dwarf_frame frames[DWARF_FRAMES]) {
  static const struct dwarf_frame nothing = {.name = "", .plain = ""};
  uint32_t number = innermost_scope(scopes, address);
  const struct dwarf_row *row = dwarf_lines_find_row(lines, address);
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
    read_names_and_declaration(scopes->dwarf, lines, scope->entry, frame);
    if (!*frame->name)
      frame->name = frame->plain;
    frame->inlined = scope->parent != 0;
    number = scope->parent;
    if (number && count < DWARF_FRAMES) {
      frames[count] = nothing;
      read_call_position(scopes, lines, scope, &frames[count]);
    }
  }
  return count;
}

/* The first segment in the range may begin later than the range. With gcc, the
 * symbol of a function is before the nops of a sled, but the function's debug
 * information begins after the nops. */
bool dwarf_find_function(const struct dwarf_scopes *scopes,
                         const struct dwarf_lines *lines,
                         struct dwarf_span span, struct dwarf_frame *function) {
  size_t next = count_segments_until_address(scopes, span.begin);
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
  read_names_and_declaration(scopes->dwarf, lines, scopes->list[number].entry,
                             function);
  if (!*function->name)
    function->name = function->plain;
  return true;
}

/* ==== Lists the address ranges of all functions with code and of their inlined
 * functions. Then cuts the ranges into segments, each with one innermost
 * function. */

/* Stands for the scope of a function that the linker dropped, as the parent of
 * the entries inside the function. */
#define DROPPED UINT32_MAX

struct scope_span {
  uint64_t begin, end;
  uint32_t scope;
};

struct scope_reader {
  struct dwarf_scopes *scopes;
  const struct dwarf *dwarf;
  const struct dwarf_unit *unit;
  struct buffer spans; /* the spans; elements are struct scope_span */
  struct buffer stack; /* for each level, the scope of its children; elements
                          are uint32_t */
  uint64_t budget;
  uint32_t scope; /* the scope whose ranges are being added */
  bool first;     /* the current entry is a function, which may be at address
                     0 */
  bool dropped;   /* a range was outside all code */
};

/* ---- spans ---- */

/* Appends a range of the scope, unless the linker has dropped its code. Dropped
 * functions are at address 0, but have another size than the function there. */
static const char *append_scope_span(void *context, struct dwarf_span span) {
  struct scope_reader *search = context;
  if (!dwarf_is_code_range(search->dwarf, span.begin, span.end) ||
      (!span.begin && span.end != search->dwarf->first_size && search->first)) {
    search->dropped = true;
    return NULL;
  }
  const struct scope_span kept = {span.begin, span.end, search->scope};
  return dwarf_append_bytes(&search->spans, &kept, sizeof kept);
}

static const char *read_entry_spans(struct scope_reader *search,
                                    const struct dwarf_entry *entry) {
  enum { LOW, HIGH, RANGES, COUNT };
  struct dwarf_wanted_attribute wanted[COUNT] = {
      {.name = AT_LOW_PC}, {.name = AT_HIGH_PC}, {.name = AT_RANGES}};
  struct dwarf_span span;
  dwarf_read_attributes(search->dwarf, search->unit, entry, wanted, COUNT);
  if (wanted[RANGES].found) {
    const struct dwarf_range_reader ranges = {search->dwarf, search->unit,
                                              append_scope_span, search,
                                              &search->budget};
    return dwarf_ranges_read(&ranges, &wanted[RANGES].value);
  }
  if (!wanted[LOW].found || !wanted[HIGH].found ||
      !dwarf_value_address(search->dwarf, search->unit, &wanted[LOW].value,
                           &span.begin))
    return NULL;
  /* The attribute is either an address or a size. */
  if (!dwarf_value_address(search->dwarf, search->unit, &wanted[HIGH].value,
                           &span.end))
    span.end = span.begin + wanted[HIGH].value.number;
  return append_scope_span(search, span);
}

/* ---- scopes ---- */

static const char *append_scope(struct scope_reader *search,
                                const struct dwarf_entry *entry,
                                uint32_t parent) {
  const struct dwarf_scope scope = {entry->offset, parent};
  size_t count = search->scopes->scope_buffer.size / sizeof scope;
  if (count >= DROPPED)
    return "the debug information is larger than bareprof accepts; check that "
           "this is the right file";
  search->scope = (uint32_t)count;
  return dwarf_append_bytes(&search->scopes->scope_buffer, &scope,
                            sizeof scope);
}

/* Reads the entry of a function. Sets *inside to the scope of its children. */
static const char *read_function_scope(struct scope_reader *search,
                                       const struct dwarf_entry *entry,
                                       uint32_t *inside) {
  bool inlined = entry->abbreviation->tag == TAG_INLINED;
  uint32_t parent = inlined ? *inside : 0;
  /* An inlined function in a function without code is only a part of the
   * abstract description. */
  if (inlined && (!parent || parent == DROPPED))
    return NULL;
  size_t spans = search->spans.size;
  const char *error = append_scope(search, entry, parent);
  search->first = !inlined;
  search->dropped = false;
  if (!error)
    error = read_entry_spans(search, entry);
  *inside = search->scope;
  if (error || spans != search->spans.size)
    return error;
  /* The function is without code, so the scope goes. */
  search->scopes->scope_buffer.size -= sizeof(struct dwarf_scope);
  *inside = inlined ? parent : search->dropped ? DROPPED : 0;
  return NULL;
}

static const char *read_unit_scopes(struct scope_reader *search) {
  struct dwarf_entry_walk walk;
  struct dwarf_entry entry;
  const char *error = NULL;
  uint32_t inside = 0;
  search->stack.size = 0;
  dwarf_walk_begin(&walk, search->dwarf, search->unit, search->unit->first);
  while (!error && dwarf_walk_next(&walk, &entry)) {
    if (!entry.abbreviation) {
      if (!search->stack.size)
        continue;
      search->stack.size -= sizeof inside;
      inside = *(uint32_t *)(search->stack.data + search->stack.size);
      continue;
    }
    uint32_t outside = inside;
    if (entry.abbreviation->tag == TAG_SUBPROGRAM ||
        entry.abbreviation->tag == TAG_INLINED)
      error = read_function_scope(search, &entry, &inside);
    if (!entry.abbreviation->children)
      inside = outside;
    else if (!error &&
             buffer_append_bytes(&search->stack, &outside, sizeof outside))
      error = out_of_memory;
  }
  return error ? error : walk.damaged ? dwarf_damaged : NULL;
}

/* ---- segments ---- */

/* Outer scopes, which have lower numbers, come first. */
ORDER_BY(by_begin, struct scope_span, x->begin, ~x->end, x->scope);

static bool append_scope_segment(struct buffer *segments, uint64_t begin,
                                 uint32_t scope) {
  const struct dwarf_scope_segment segment = {begin, scope};
  size_t count = segments->size / sizeof segment;
  struct dwarf_scope_segment *last =
      (struct dwarf_scope_segment *)segments->data + count;
  if (count && last[-1].begin == begin) {
    last[-1].scope = scope;
    return true;
  }
  return (count && last[-1].scope == scope) ||
         !buffer_append_bytes(segments, &segment, sizeof segment);
}

/* Pops the ranges that end at or before `until` from the stack, and adds the
 * segments that follow these ranges. Returns the new depth, or SIZE_MAX if
 * memory runs out. */
static size_t close_ended_spans(struct buffer *segments,
                                struct scope_span *stack, size_t depth,
                                uint64_t until) {
  for (; depth && stack[depth - 1].end <= until; depth--)
    if (!append_scope_segment(segments, stack[depth - 1].end,
                              depth > 1 ? stack[depth - 2].scope : 0))
      return SIZE_MAX;
  return depth;
}

/* Divides the ranges into segments. If a range extends beyond the range around
 * it, the range is cut. The stack overwrites the start of the list, which has
 * already been read. */
static bool divide_into_segments(struct buffer *spans,
                                 struct buffer *segments) {
  struct scope_span *list = (struct scope_span *)spans->data;
  size_t count = spans->size / sizeof *list, depth = 0;
  for (size_t i = 0; i < count; i++) {
    struct scope_span span = list[i];
    depth = close_ended_spans(segments, list, depth, span.begin);
    if (depth == SIZE_MAX ||
        !append_scope_segment(segments, span.begin, span.scope))
      return false;
    if (depth && span.end > list[depth - 1].end)
      span.end = list[depth - 1].end;
    list[depth++] = span;
  }
  return close_ended_spans(segments, list, depth, UINT64_MAX) != SIZE_MAX;
}

static const char *read_all_scopes(struct scope_reader *search) {
  const struct dwarf *dwarf = search->dwarf;
  static const struct dwarf_scope none = {0};
  const char *error = NULL;
  if (buffer_append_bytes(&search->scopes->scope_buffer, &none, sizeof none))
    return out_of_memory;
  for (size_t i = 0; i < dwarf->unit_count && !error; i++) {
    search->unit = &dwarf->units[i];
    if (!search->unit->type)
      error = read_unit_scopes(search);
  }
  if (!error && search->spans.size)
    qsort(search->spans.data, search->spans.size / sizeof(struct scope_span),
          sizeof(struct scope_span), by_begin);
  if (!error &&
      !divide_into_segments(&search->spans, &search->scopes->segment_buffer))
    error = out_of_memory;
  return error;
}

const char *dwarf_scopes_read(struct dwarf_scopes *scopes,
                              const struct dwarf *dwarf) {
  size_t most = dwarf->arena.limit;
  struct scope_reader search = {.scopes = scopes,
                                .dwarf = dwarf,
                                .spans = {.limit = most},
                                .stack = {.limit = most},
                                .budget = dwarf->sections[DWARF_RANGES].size +
                                          dwarf->sections[DWARF_RNGLISTS].size +
                                          dwarf->sections[DWARF_INFO].size};
  *scopes = (struct dwarf_scopes){.dwarf = dwarf,
                                  .scope_buffer = {.limit = most},
                                  .segment_buffer = {.limit = most}};
  const char *error = read_all_scopes(&search);
  buffer_free(&search.spans);
  buffer_free(&search.stack);
  scopes->list = (struct dwarf_scope *)scopes->scope_buffer.data;
  scopes->segments = (struct dwarf_scope_segment *)scopes->segment_buffer.data;
  scopes->segment_count =
      scopes->segment_buffer.size / sizeof *scopes->segments;
  return error;
}

void dwarf_scopes_free(struct dwarf_scopes *scopes) {
  buffer_free(&scopes->scope_buffer);
  buffer_free(&scopes->segment_buffer);
  *scopes = (struct dwarf_scopes){.dwarf = NULL};
}
