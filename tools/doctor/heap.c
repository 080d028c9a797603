/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: whether a heap would overwrite the counters. Scripts name where it
 * begins, and some name where it ends.
 */
#include <inttypes.h>
#include <stdio.h>

#include "findings.h"

/* A guess: sections in one memory are not farther apart. */
enum { NEAR = 1 << 24, BESIDE = 1 << 12, FOLLOWS = 16, ASKED_BY_FRAGMENT = 3 };

/* `sure`: whoever knows this begin respects this end. An allocator that grows
 * from `end` may know no end. */
static const struct heap {
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

/* Returns the bytes between two addresses that belong to no section. */
static uint64_t unused_between(const struct facts *facts, uint64_t from,
                               uint64_t to) {
  uint64_t unused = to - from;
  for (uint64_t i = 0; i < facts->elf->section_count; i++) {
    struct elf_section section = elf_section(facts->elf, i);
    if (section.flags & ELF_ALLOC && !(section.flags & ELF_TLS) &&
        section.address - from < to - from && section.size <= unused)
      unused -= section.size;
  }
  return unused;
}

/* Whether the fragment has asserted this for the three names that it knows. The
 * fragment knows the regions, and not the symbols that the script defines
 * behind it. If counters follow the section before the fragment, they are in
 * that section's region. */
static bool is_asked(const struct facts *facts, uint64_t counters) {
  const struct symbol *begin = &facts->symbols[PROFILE_BEGIN];
  return facts->symbols[PROFILE_END].defined && begin->defined &&
         counters - begin->value >= FOLLOWS;
}

/* The end of this heap. A script may name the begin in one style and the end in
 * another. */
static enum symbol_id end_of(const struct facts *facts,
                             const struct heap *heap) {
  int end = heap->end;
  if (heap->sure && !facts->symbols[end].defined)
    for (end = HEAP_STOP; end < HEAP_LIMIT_1 && !facts->symbols[end].defined;)
      end++;
  return (enum symbol_id)end;
}

/* Where a heap from here ends, by another name of its begin, if that is on this
 * side of the counters; else 0. */
static enum symbol_id end_beside(const struct facts *facts, uint64_t begin) {
  for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++) {
    const struct symbol *symbol = &facts->symbols[heaps[i].begin];
    enum symbol_id stop = heaps[i].sure ? end_of(facts, &heaps[i]) : 0;
    if (stop && symbol->defined && symbol->value == begin &&
        facts->symbols[stop].defined && facts->symbols[stop].value > begin &&
        facts->symbols[stop].value <= facts->sections[CNTS].address)
      return stop;
  }
  return 0;
}

/* The lines for all names of a heap's begin or end, which may have several:
 * whoever writes one of them alone is told of the next one. */
struct heap_lines {
  char text[256];
};
static struct heap_lines lines_for(const struct facts *facts, enum symbol_id id,
                                   const char *value) {
  struct heap_lines lines = {{0}};
  size_t size = 0;
  bool is_end = id >= HEAP_STOP;
  const struct symbol *symbol = &facts->symbols[id];
  int last = is_end                             ? HEAP_LIMIT_1
             : end_beside(facts, symbol->value) ? HEAP_START - 1
                                                : HEAP_BASE_1;
  for (int other = is_end ? HEAP_STOP : HEAP_END; other <= last; other++)
    if (facts->symbols[other].defined &&
        facts->symbols[other].value == symbol->value &&
        size + sizeof "__heap_start__ = __start___llvm_prf_cnts; " <
            sizeof lines.text)
      size += (size_t)snprintf(lines.text + size, sizeof lines.text - size,
                               "%s%s = %s;", size ? " " : "",
                               symbol_names[other], value);
  return lines;
}

/* With an end: true if that decides the matter. */
static bool check_bounded(const struct facts *facts, const struct heap *heap,
                          struct findings *to) {
  const struct symbol *begin = &facts->symbols[heap->begin];
  enum symbol_id stop = end_of(facts, heap);
  const struct symbol *end = &facts->symbols[stop];
  uint64_t counters = facts->sections[CNTS].address;
  if (!heap->has_end || !end->defined)
    return false;
  const char *from = symbol_names[heap->begin], *until = symbol_names[stop];
  if (begin->value < end->value &&
      counters - begin->value < end->value - begin->value) {
    bool below = counters - begin->value >= end->value - counters;
    findings_add(to, ERROR, HEAP,
                 "the heap from `%s' to `%s' covers the counters, at 0x%" PRIx64
                 "; put `%s' into regions.ld",
                 from, until, counters,
                 below ? lines_for(facts, stop, "__start___llvm_prf_cnts").text
                       : lines_for(facts, heap->begin, "__bareprof_end").text);
    return true;
  }
  if (heap->sure && facts->symbols[PROFILE_END].defined &&
      begin->value == facts->symbols[PROFILE_END].value &&
      end->value <= counters) {
    findings_add(to, ERROR, HEAP,
                 "the heap from `%s' ends at `%s', before it begins; take "
                 "`%s = __bareprof_end;' out of regions.ld",
                 from, until, from);
    return true;
  }
  return heap->sure && begin->value <= end->value && end->value <= counters;
}

/* `__end__' where `end' is behind the counters: both may name one heap, and
 * then nothing uses this name. */
static bool is_moved(const struct facts *facts, enum symbol_id id) {
  const struct symbol *end = &facts->symbols[HEAP_END];
  return id == HEAP_END_2 && end->defined &&
         end->value == facts->symbols[PROFILE_END].value;
}

static void report_heap(const struct facts *facts, enum symbol_id id,
                        struct findings *to) {
  const char *name = symbol_names[id];
  uint64_t value = facts->symbols[id].value;
  enum symbol_id stop = end_beside(facts, value);
  if (facts->symbols[PROFILE_END].defined && stop)
    findings_add(to, ERROR, HEAP,
                 "a heap from `%s' would overwrite the counters if it does not "
                 "end at `%s'; put `__bareprof_end_checked = 1;' into "
                 "regions.ld if _sbrk ends there, or else `%s'",
                 name, symbol_names[stop],
                 lines_for(facts, id, "__bareprof_end").text);
  else if (facts->symbols[PROFILE_END].defined)
    findings_add(to, is_moved(facts, id) ? WARNING : ERROR, HEAP,
                 "a heap from `%s' on would overwrite the counters; put "
                 "`%s' into regions.ld%s",
                 name, lines_for(facts, id, "__bareprof_end").text,
                 is_moved(facts, id) ? " too" : "");
  else
    findings_add(to, ERROR, HEAP,
                 "a heap from `%s' (0x%" PRIx64 ") on would overwrite the "
                 "counters; move it, or INCLUDE bareprof.ld before it",
                 name, value);
}

/* A heap that was moved behind the counters, and an end of it that was not.
 * Some allocators take no end. */
static void check_left_end(const struct facts *facts, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  int begin = HEAP_END, base = HEAP_BASE, stop = HEAP_STOP;
  while (begin < HEAP_START &&
         (!symbols[begin].defined ||
          symbols[begin].value != symbols[PROFILE_END].value))
    begin++;
  while (stop <= HEAP_LIMIT_1 &&
         (!symbols[stop].defined ||
          facts->sections[CNTS].address - symbols[stop].value >= NEAR))
    stop++;
  while (base > HEAP_END_2 && !symbols[base].defined)
    base--;
  if (begin == HEAP_START || stop > HEAP_LIMIT_1 || findings_have(to, HEAP))
    return;
  uint64_t size = symbols[stop].value - symbols[base].value;
  findings_add(
      to, WARNING, HEAP,
      "an _sbrk from `%s' to `%s' has no room; put "
      "`%s = __bareprof_end + 0x%" PRIx64 ";' into regions.ld",
      symbol_names[begin], symbol_names[stop], symbol_names[stop],
      base > HEAP_END_2 && size < NEAR ? size : 4096);
}

/* As bareprof.ld asserts, with more names: all that the script defines, also
 * for scripts without bareprof.ld. Here, counters behind a gap have a region to
 * themselves. */
void check_heap(const struct facts *facts, struct findings *to) {
  uint64_t counters = facts->sections[CNTS].address;
  if (facts->symbols[END_CHECKED].defined)
    return;
  size_t asked = is_asked(facts, counters) ? ASKED_BY_FRAGMENT : 0;
  for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++) {
    const struct symbol *heap = &facts->symbols[heaps[i].begin];
    if (heap->defined && !check_bounded(facts, &heaps[i], to) && i >= asked &&
        counters - heap->value < NEAR &&
        unused_between(facts, heap->value, counters) < BESIDE)
      report_heap(facts, heaps[i].begin, to);
  }
  if (facts->symbols[PROFILE_END].defined)
    check_left_end(facts, to);
}
