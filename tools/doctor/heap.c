/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file checks whether a heap or a stack would overwrite the counters.
 * Linker scripts define a symbol where the heap begins, and some also define
 * one where the heap ends.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "findings.h"

/* NEAR and BESIDE are guesses: sections in the same memory are closer than
 * NEAR, and between a heap and counters that it reaches are fewer unused bytes
 * than BESIDE. Counters that follow another section begin fewer than FOLLOWS
 * bytes after it. bareprof.ld checks the first CHECKED_BY_SCRIPT rows of heaps.
 */
enum { NEAR = 1 << 24, BESIDE = 1 << 12, FOLLOWS = 16, CHECKED_BY_SCRIPT = 3 };

/* The symbols of a heap's first and last address. If `sure` is set, code that
 * starts a heap at `begin` also stops at `end`. An allocator that starts at the
 * symbol `end` may not stop at any symbol. */
static const struct heap_symbols {
  enum symbol_id begin, end;
  bool has_end, sure;
} heaps[] = {{.begin = HEAP_END},
             {HEAP_END_1, HEAP_STOP_2, true, false},
             {HEAP_START, HEAP_STOP, true, true},
             {.begin = HEAP_END_2},
             {HEAP_START_1, HEAP_STOP_1, true, true},
             {HEAP_START_2, HEAP_STOP_2, true, true},
             {HEAP_BASE, HEAP_LIMIT, true, true},
             {HEAP_BASE_1, HEAP_LIMIT_1, true, true}};

/* Returns the number of bytes between two addresses that no section has. */
static uint64_t unused_bytes_between(const struct image_info *facts,
                                     uint64_t from, uint64_t to) {
  uint64_t unused = to - from;
  for (uint64_t i = 0; i < facts->elf->section_count; i++) {
    struct elf_section section = elf_section(facts->elf, i);
    if (section.flags & ELF_ALLOC && !(section.flags & ELF_TLS) &&
        section.address - from < to - from && section.size <= unused)
      unused -= section.size;
  }
  return unused;
}

/* Returns whether the check of bareprof.ld at link time suffices for the three
 * symbols that it knows. bareprof.ld knows the memory regions, but not the
 * symbols that the script defines after bareprof.ld. If counters follow the
 * section before bareprof.ld, they are in the region of that section, and a
 * heap may be there, too. */
static bool is_heap_checked_by_linker(const struct image_info *facts,
                                      uint64_t counters) {
  const struct known_symbol *begin = &facts->symbols[PROFILE_BEGIN];
  return facts->symbols[PROFILE_END].defined && begin->defined &&
         counters - begin->value >= FOLLOWS;
}

/* Returns the symbol for the end of this heap. A script may use different
 * styles of names for begin and end. */
static enum symbol_id find_heap_end_symbol(const struct image_info *facts,
                                           const struct heap_symbols *heap) {
  int end = heap->end;
  if (heap->sure && !facts->symbols[end].defined)
    for (end = HEAP_STOP; end < HEAP_LIMIT_1 && !facts->symbols[end].defined;)
      end++;
  return (enum symbol_id)end;
}

/* Returns the symbol for the end of the heap that begins at this address, if
 * the end is before the counters, else 0. Another symbol of the heap's
 * beginning leads to the end. */
static enum symbol_id
find_heap_end_by_other_name(const struct image_info *facts, uint64_t begin) {
  for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++) {
    const struct known_symbol *symbol = &facts->symbols[heaps[i].begin];
    enum symbol_id stop =
        heaps[i].sure ? find_heap_end_symbol(facts, &heaps[i]) : 0;
    if (stop && symbol->defined && symbol->value == begin &&
        facts->symbols[stop].defined && facts->symbols[stop].value > begin &&
        facts->symbols[stop].value <= facts->sections[CNTS].address)
      return stop;
  }
  return 0;
}

/* The lines for regions.ld, with all symbols of a heap's first and last
 * address. With only one of the symbols, the user would get another finding for
 * the next symbol. */
struct heap_script_lines {
  char text[600];
  size_t size;
};
static void append_heap_script_line(struct heap_script_lines *lines,
                                    enum symbol_id id, const char *value) {
  size_t room = sizeof lines->text - lines->size;
  int size = snprintf(lines->text + lines->size, room, "%s%s = %s;",
                      lines->size ? " " : "", symbol_names[id], value);
  lines->size += size > 0 && (size_t)size < room ? (size_t)size : 0;
}

/* Makes lines that end the heap at the counters. The lines define all symbols
 * at that address. */
static struct heap_script_lines
make_heap_end_lines(const struct image_info *facts, enum symbol_id stop) {
  const struct known_symbol *symbols = facts->symbols;
  struct heap_script_lines lines = {.size = 0};
  for (int id = HEAP_STOP; id <= HEAP_LIMIT_1; id++)
    if (symbols[id].defined && symbols[id].value == symbols[stop].value)
      append_heap_script_line(&lines, id, "__start___llvm_prf_cnts");
  return lines;
}

/* Makes lines that move the whole heap after the counters: all ends, at the
 * same distance, and all beginnings. The symbols of one beginning may differ
 * because of alignment. */
static struct heap_script_lines
make_heap_move_lines(const struct image_info *facts, uint64_t begin) {
  enum { ALIGNMENT = 64 };
  const struct known_symbol *symbols = facts->symbols;
  struct heap_script_lines lines = {.size = 0};
  for (int id = HEAP_STOP; id <= HEAP_LIMIT_1; id++) {
    char value[48];
    uint64_t size = symbols[id].value - begin;
    snprintf(value, sizeof value, "__bareprof_end + 0x%" PRIx64, size);
    if (symbols[id].defined && size && size < NEAR &&
        symbols[id].value <= facts->sections[CNTS].address)
      append_heap_script_line(&lines, id, value);
  }
  for (int id = HEAP_END; id <= HEAP_BASE_1; id++)
    if (symbols[id].defined &&
        symbols[id].value <= facts->sections[CNTS].address &&
        symbols[id].value - begin + ALIGNMENT < 2 * ALIGNMENT)
      append_heap_script_line(&lines, id, "__bareprof_end");
  return lines;
}

/* Checks a heap if its end is known. Returns true if this heap needs no further
 * check. */
static bool check_bounded_heap(const struct image_info *facts,
                               const struct heap_symbols *heap,
                               struct findings *to) {
  const struct known_symbol *begin = &facts->symbols[heap->begin];
  enum symbol_id stop = find_heap_end_symbol(facts, heap);
  const struct known_symbol *end = &facts->symbols[stop];
  uint64_t counters = facts->sections[CNTS].address;
  if (!heap->has_end || !end->defined)
    return false;
  const char *from = symbol_names[heap->begin], *until = symbol_names[stop];
  if (begin->value < end->value &&
      counters - begin->value < end->value - begin->value) {
    bool below = counters - begin->value >= end->value - counters;
    /* The lines for regions.ld use symbols of bareprof.ld. */
    if (!facts->symbols[PROFILE_END].defined)
      findings_add(to, ERROR, HEAP,
                   "the heap from `%s' to `%s' covers the counters, at "
                   "0x%" PRIx64
                   "; move the heap, or INCLUDE bareprof.ld before its symbols",
                   from, until, counters);
    else
      findings_add(
          to, ERROR, HEAP,
          "the heap from `%s' to `%s' covers the counters, at 0x%" PRIx64
          "; put `%s' into regions.ld",
          from, until, counters,
          below ? make_heap_end_lines(facts, stop).text
                : make_heap_move_lines(facts, begin->value).text);
    return true;
  }
  if (heap->sure && facts->symbols[PROFILE_END].defined &&
      begin->value == facts->symbols[PROFILE_END].value &&
      end->value <= counters) {
    findings_add(to, ERROR, HEAP,
                 "the heap from `%s' ends at `%s', which is below its start; "
                 "remove `%s = __bareprof_end;' from regions.ld",
                 from, until, from);
    return true;
  }
  return heap->sure && begin->value <= end->value && end->value <= counters;
}

/* Returns whether this symbol is `__end__' while `end' is after the counters.
 * Both names may stand for the same heap; then nothing uses `__end__'. */
static bool is_heap_symbol_unused(const struct image_info *facts,
                                  enum symbol_id id) {
  const struct known_symbol *end = &facts->symbols[HEAP_END];
  return id == HEAP_END_2 && end->defined &&
         end->value == facts->symbols[PROFILE_END].value;
}

static void report_heap_overlap(const struct image_info *facts,
                                enum symbol_id id, struct findings *to) {
  const char *name = symbol_names[id];
  uint64_t value = facts->symbols[id].value;
  enum symbol_id stop = find_heap_end_by_other_name(facts, value);
  if (facts->symbols[PROFILE_END].defined && stop)
    findings_add(
        to, ERROR, HEAP,
        "the heap from `%s' overwrites the counters, unless _sbrk stops at "
        "`%s'; put `__bareprof_end_checked = 1;' into regions.ld if _sbrk "
        "stops there, otherwise write `%s' into regions.ld",
        name, symbol_names[stop], make_heap_move_lines(facts, value).text);
  else if (facts->symbols[PROFILE_END].defined)
    findings_add(to, is_heap_symbol_unused(facts, id) ? WARNING : ERROR, HEAP,
                 "a heap that starts at `%s' would overwrite the counters; put "
                 "`%s' into regions.ld%s",
                 name, make_heap_move_lines(facts, value).text,
                 is_heap_symbol_unused(facts, id) ? " too" : "");
  else
    findings_add(to, ERROR, HEAP,
                 "a heap that starts at `%s' (0x%" PRIx64
                 ") would overwrite the counters; move the heap, or INCLUDE "
                 "bareprof.ld before its symbol",
                 name, value);
}

/* Reports a heap that was moved after the counters although one of its ends was
 * not moved. Some allocators do not need an end. */
static void check_unmoved_heap_end(const struct image_info *facts,
                                   struct findings *to) {
  const struct known_symbol *symbols = facts->symbols;
  uint64_t counters = facts->sections[CNTS].address;
  int begin = HEAP_END, base = HEAP_BASE_1, stop = HEAP_STOP;
  while (begin < HEAP_START &&
         (!symbols[begin].defined ||
          symbols[begin].value != symbols[PROFILE_END].value))
    begin++;
  while (stop <= HEAP_LIMIT_1 &&
         (!symbols[stop].defined || counters - symbols[stop].value >= NEAR))
    stop++;
  if (begin == HEAP_START || stop > HEAP_LIMIT_1 ||
      findings_have_code(to, HEAP))
    return;
  while (base > HEAP_END_2 &&
         (!symbols[base].defined ||
          symbols[stop].value - symbols[base].value >= NEAR))
    base--;
  /* If no symbol tells where the heap began, 4096 stands for its size. */
  findings_add(to, WARNING, HEAP,
               "the heap is empty if _sbrk starts at `%s' and stops at `%s'; "
               "put `%s' into regions.ld",
               symbol_names[begin], symbol_names[stop],
               make_heap_move_lines(facts, base > HEAP_END_2
                                               ? symbols[base].value
                                               : symbols[stop].value - 4096)
                   .text);
}

/* Pairs of suffixes of symbols: one for the lowest address of a stack, and one
 * for its other end. */
static const char *const stack_ends[][2] = {
    {"_start", "_end"}, {"_bottom", "_top"}, {"_base", "_top"},
    {"_limit", "_top"}, {"Limit", "Top"},    {"Base", "Top"}};

/* Finds the other end of the stack that begins at a symbol. Returns false if no
 * stack begins there. */
static bool find_stack_end(const struct image_info *facts, const char *name,
                           char other[80], uint64_t *end) {
  for (size_t i = 0; i < sizeof stack_ends / sizeof *stack_ends; i++) {
    size_t size = strlen(name), tail = strlen(stack_ends[i][0]);
    if (size < tail || size > 60 ||
        strcmp(name + size - tail, stack_ends[i][0]) != 0)
      continue;
    snprintf(other, 80, "%.*s%s", (int)(size - tail), name, stack_ends[i][1]);
    if (elf_find_symbol(facts->elf, other, end))
      return true;
  }
  return false;
}

/* Checks stacks that only symbols describe, without a section. The linker may
 * place the sections after .bss in such a stack. */
static void check_stack_overlap(const struct image_info *facts,
                                struct findings *to) {
  enum { STACKS = 64 };
  const struct elf_section *cnts = &facts->sections[CNTS];
  const struct known_symbol *last = &facts->symbols[PROFILE_END];
  uint64_t counters_end =
      last->defined ? last->value : cnts->address + cnts->size;
  unsigned seen = 0;
  for (uint64_t i = 0; i < facts->elf->symbol_count && seen < STACKS; i++) {
    struct elf_symbol symbol = elf_symbol(facts->elf, i);
    char other[80];
    uint64_t end;
    if (!strstr(symbol.name, "stack") && !strstr(symbol.name, "Stack"))
      continue;
    seen++;
    if (symbol.value >= counters_end ||
        !find_stack_end(facts, symbol.name, other, &end) ||
        end <= cnts->address || end <= symbol.value)
      continue;
    if (!last->defined)
      findings_add(
          to, ERROR, HEAP,
          "the stack from `%s' to `%s' covers the counters, at 0x%" PRIx64
          "; move the stack, or INCLUDE bareprof.ld before its symbols",
          symbol.name, other, cnts->address);
    else
      findings_add(
          to, ERROR, HEAP,
          "the stack from `%s' to `%s' covers the counters, at 0x%" PRIx64
          "; begin the stack at __bareprof_end in the script, or give "
          "BAREPROF_RAM a region of its own in regions.ld",
          symbol.name, other, cnts->address);
    return;
  }
}

/* Makes the same check as bareprof.ld, but for all symbols that the script
 * defines, and also for scripts without bareprof.ld. Counters after a gap are
 * assumed to be in their own memory region. */
void check_heap(const struct image_info *facts, struct findings *to) {
  uint64_t counters = facts->sections[CNTS].address;
  check_stack_overlap(facts, to);
  if (facts->symbols[END_CHECKED].defined)
    return;
  size_t checked =
      is_heap_checked_by_linker(facts, counters) ? CHECKED_BY_SCRIPT : 0;
  for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++) {
    const struct known_symbol *heap = &facts->symbols[heaps[i].begin];
    if (heap->defined && !check_bounded_heap(facts, &heaps[i], to) &&
        i >= checked && counters - heap->value < NEAR &&
        unused_bytes_between(facts, heap->value, counters) < BESIDE)
      report_heap_overlap(facts, heaps[i].begin, to);
  }
  if (facts->symbols[PROFILE_END].defined)
    check_unmoved_heap_end(facts, to);
}
