/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All functions with code, and what is inlined into them, as spans; then the
 * spans cut into segments of which the innermost function is known.
 */
#include <stdlib.h>

#include "dwarf_inline.h"
#include "dwarf_scope.h"

/* The scope of entries below one that the linker has dropped. */
#define DROPPED UINT32_MAX

struct scope_span {
  uint64_t begin, end;
  uint32_t scope;
};

struct search {
  struct dwarf_scopes *scopes;
  const struct dwarf *dwarf;
  const struct dwarf_unit *unit;
  struct buffer spans; /* struct scope_span */
  struct buffer stack; /* uint32_t, the scope of each level's children */
  uint64_t budget;
  uint32_t scope; /* that spans are being added to */
  bool first;     /* its code may be at address 0 */
  bool dropped;   /* and other code is nowhere */
};

/* ---- spans ---- */

static const char *take_span(void *context, struct dwarf_span span) {
  struct search *search = context;
  if (!dwarf_is_code(search->dwarf, span.begin, span.end) ||
      (!span.begin && span.end != search->dwarf->first_size && search->first)) {
    search->dropped = true;
    return NULL;
  }
  const struct scope_span kept = {span.begin, span.end, search->scope};
  return buffer_append(&search->spans, &kept, sizeof kept) ? dwarf_no_memory
                                                           : NULL;
}

static const char *read_spans(struct search *search,
                              const struct dwarf_entry *entry) {
  enum { LOW, HIGH, RANGES, COUNT };
  struct dwarf_wanted wanted[COUNT] = {
      {.name = AT_LOW_PC}, {.name = AT_HIGH_PC}, {.name = AT_RANGES}};
  struct dwarf_span span;
  dwarf_take(search->dwarf, search->unit, entry, wanted, COUNT);
  if (wanted[RANGES].found) {
    const struct dwarf_ranges ranges = {search->dwarf, search->unit, take_span,
                                        search, &search->budget};
    return dwarf_ranges_read(&ranges, &wanted[RANGES].value);
  }
  if (!wanted[LOW].found || !wanted[HIGH].found ||
      !dwarf_address(search->dwarf, search->unit, &wanted[LOW].value,
                     &span.begin))
    return NULL;
  /* Either an address or a distance. */
  if (!dwarf_address(search->dwarf, search->unit, &wanted[HIGH].value,
                     &span.end))
    span.end = span.begin + wanted[HIGH].value.number;
  return take_span(search, span);
}

/* ---- scopes ---- */

static const char *add_scope(struct search *search,
                             const struct dwarf_entry *entry, uint32_t parent) {
  const struct dwarf_scope scope = {
      entry->offset, (uint32_t)(search->unit - search->dwarf->units), parent};
  size_t count = search->scopes->scope_buffer.size / sizeof scope;
  if (count >= DROPPED)
    return "its debug information is too large; is it the right file?";
  search->scope = (uint32_t)count;
  return buffer_append(&search->scopes->scope_buffer, &scope, sizeof scope)
             ? dwarf_no_memory
             : NULL;
}

/* An entry of a function: *inside becomes the scope of its children. */
static const char *read_function(struct search *search,
                                 const struct dwarf_entry *entry,
                                 uint32_t *inside) {
  bool inlined = entry->shape->tag == TAG_INLINED;
  uint32_t parent = inlined ? *inside : 0;
  /* Inlined into what has no code is part of its description only. */
  if (inlined && (!parent || parent == DROPPED))
    return NULL;
  size_t spans = search->spans.size;
  const char *error = add_scope(search, entry, parent);
  search->first = !inlined;
  search->dropped = false;
  if (!error)
    error = read_spans(search, entry);
  *inside = search->scope;
  if (error || spans != search->spans.size)
    return error;
  /* Nothing of it is anywhere. */
  search->scopes->scope_buffer.size -= sizeof(struct dwarf_scope);
  *inside = inlined ? parent : search->dropped ? DROPPED : 0;
  return NULL;
}

static const char *read_unit(struct search *search) {
  struct dwarf_walk walk;
  struct dwarf_entry entry;
  const char *error = NULL;
  uint32_t inside = 0;
  search->stack.size = 0;
  dwarf_walk_begin(&walk, search->dwarf, search->unit, search->unit->first);
  while (!error && dwarf_walk_next(&walk, &entry)) {
    if (!entry.shape) {
      if (!search->stack.size)
        continue;
      search->stack.size -= sizeof inside;
      inside = *(uint32_t *)(search->stack.data + search->stack.size);
      continue;
    }
    uint32_t outside = inside;
    if (entry.shape->tag == TAG_SUBPROGRAM || entry.shape->tag == TAG_INLINED)
      error = read_function(search, &entry, &inside);
    if (!entry.shape->children)
      inside = outside;
    else if (!error && buffer_append(&search->stack, &outside, sizeof outside))
      error = dwarf_no_memory;
  }
  return error ? error : walk.damaged ? dwarf_damaged : NULL;
}

/* ---- segments ---- */

/* Outer ones first: their scopes have lower numbers. */
static int by_begin(const void *left, const void *right) {
  const struct scope_span *a = left, *b = right;
  if (a->begin != b->begin)
    return a->begin < b->begin ? -1 : 1;
  if (a->end != b->end)
    return a->end > b->end ? -1 : 1;
  return a->scope < b->scope ? -1 : a->scope > b->scope;
}

static bool add_segment(struct buffer *segments, uint64_t begin,
                        uint32_t scope) {
  const struct dwarf_segment segment = {begin, scope};
  size_t count = segments->size / sizeof segment;
  struct dwarf_segment *last = (struct dwarf_segment *)segments->data + count;
  if (count && last[-1].begin == begin) {
    last[-1].scope = scope;
    return true;
  }
  return (count && last[-1].scope == scope) ||
         !buffer_append(segments, &segment, sizeof segment);
}

/* Takes spans that end before `until` off the stack, whose depth it returns;
 * SIZE_MAX: out of memory. */
static size_t close_spans(struct buffer *segments, struct scope_span *stack,
                          size_t depth, uint64_t until) {
  for (; depth && stack[depth - 1].end <= until; depth--)
    if (!add_segment(segments, stack[depth - 1].end,
                     depth > 1 ? stack[depth - 2].scope : 0))
      return SIZE_MAX;
  return depth;
}

/* A span that is not all inside the one around it is cut. The stack grows
 * over spans that have been looked at. */
static bool cut_segments(struct buffer *spans, struct buffer *segments) {
  struct scope_span *list = (struct scope_span *)spans->data;
  size_t count = spans->size / sizeof *list, depth = 0;
  for (size_t i = 0; i < count; i++) {
    struct scope_span span = list[i];
    depth = close_spans(segments, list, depth, span.begin);
    if (depth == SIZE_MAX || !add_segment(segments, span.begin, span.scope))
      return false;
    if (depth && span.end > list[depth - 1].end)
      span.end = list[depth - 1].end;
    list[depth++] = span;
  }
  return close_spans(segments, list, depth, UINT64_MAX) != SIZE_MAX;
}

static const char *read_all(struct search *search) {
  const struct dwarf *dwarf = search->dwarf;
  static const struct dwarf_scope none = {0};
  const char *error = NULL;
  if (buffer_append(&search->scopes->scope_buffer, &none, sizeof none))
    return dwarf_no_memory;
  for (size_t i = 0; i < dwarf->unit_count && !error; i++) {
    search->unit = &dwarf->units[i];
    if (!search->unit->type)
      error = read_unit(search);
  }
  if (!error && search->spans.size)
    qsort(search->spans.data, search->spans.size / sizeof(struct scope_span),
          sizeof(struct scope_span), by_begin);
  if (!error && !cut_segments(&search->spans, &search->scopes->segment_buffer))
    error = dwarf_no_memory;
  return error;
}

const char *dwarf_scopes_read(struct dwarf_scopes *scopes,
                              const struct dwarf *dwarf) {
  size_t most = dwarf->arena.limit;
  struct search search = {.scopes = scopes,
                          .dwarf = dwarf,
                          .spans = {.limit = most},
                          .stack = {.limit = most},
                          .budget = dwarf->sections[DWARF_RANGES].size +
                                    dwarf->sections[DWARF_RNGLISTS].size +
                                    dwarf->sections[DWARF_INFO].size};
  *scopes = (struct dwarf_scopes){.dwarf = dwarf,
                                  .scope_buffer = {.limit = most},
                                  .segment_buffer = {.limit = most}};
  const char *error = read_all(&search);
  buffer_free(&search.spans);
  buffer_free(&search.stack);
  scopes->list = (struct dwarf_scope *)scopes->scope_buffer.data;
  scopes->segments = (struct dwarf_segment *)scopes->segment_buffer.data;
  scopes->segment_count =
      scopes->segment_buffer.size / sizeof *scopes->segments;
  return error;
}

void dwarf_scopes_free(struct dwarf_scopes *scopes) {
  buffer_free(&scopes->scope_buffer);
  buffer_free(&scopes->segment_buffer);
  *scopes = (struct dwarf_scopes){.dwarf = NULL};
}
