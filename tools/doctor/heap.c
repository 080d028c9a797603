/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: whether a heap would overwrite the counters. Scripts name where it
 * begins, and some name where it ends.
 */
#include <inttypes.h>

#include "examine.h"

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

/* With an end: true if that decides the matter. */
static bool check_bounded(const struct facts *facts, const struct heap *heap,
                          struct findings *to) {
  const struct symbol *begin = &facts->symbols[heap->begin];
  const struct symbol *end = &facts->symbols[heap->end];
  uint64_t counters = facts->sections[CNTS].address;
  if (!heap->has_end || !end->defined)
    return false;
  const char *from = symbol_names[heap->begin],
             *until = symbol_names[heap->end];
  if (begin->value < end->value &&
      counters - begin->value < end->value - begin->value) {
    bool below = counters - begin->value >= end->value - counters;
    findings_add(to, ERROR, HEAP,
                 "the heap from `%s' to `%s' covers the counters, at 0x%" PRIx64
                 "; put `%s = %s;' into regions.ld",
                 from, until, counters, below ? until : from,
                 below ? "__start___llvm_prf_cnts" : "__bareprof_end");
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
  if (facts->symbols[PROFILE_END].defined)
    findings_add(to, is_moved(facts, id) ? WARNING : ERROR, HEAP,
                 "a heap from `%s' on would overwrite the counters; put "
                 "`%s = __bareprof_end;' into regions.ld%s",
                 name, name, is_moved(facts, id) ? " too" : "");
  else
    findings_add(to, ERROR, HEAP,
                 "a heap from `%s' (0x%" PRIx64 ") on would overwrite the "
                 "counters; move it, or INCLUDE bareprof.ld before it",
                 name, value);
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
}
