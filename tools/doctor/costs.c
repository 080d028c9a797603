/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sizes of sections and symbols, added up; and the estimate of a dump.
 */
#include "costs.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECT = 1, FUNCTION = 2 }; /* types of symbols */

/* ---- code, by symbols ---- */

enum owner { LOCAL, OURS, OTHERS };

struct code {
  uint64_t address, size;
  enum owner owner;
};

static bool is_ours(const char *name) {
  return strncmp(name, "bareprof_", 9) == 0 ||
         strncmp(name, "__llvm_profile_", 15) == 0;
}

static int by_address(const void *left, const void *right) {
  const struct code *a = left, *b = right;
  if (a->address != b->address)
    return a->address < b->address ? -1 : 1;
  return (int)a->owner - (int)b->owner;
}

/* A static function has no name to know it by. It is the runtime's if the
 * next ones with external names on both sides are. */
static uint64_t add_up(const struct code *list, size_t count) {
  uint64_t size = 0, locals = 0;
  bool before = false;
  for (size_t i = 0; i < count; i++) {
    if (list[i].owner == LOCAL) {
      locals += list[i].size;
      continue;
    }
    bool ours = list[i].owner == OURS;
    if (ours)
      size += list[i].size + (before ? locals : 0);
    before = ours;
    locals = 0;
  }
  return size;
}

/* Value slots, say, are not. */
static bool is_in_flash(const struct elf *elf,
                        const struct elf_symbol *symbol) {
  if (symbol->section >= elf->section_count)
    return false;
  struct elf_section section = elf_section(elf, symbol->section);
  return is_loaded(&section);
}

static uint64_t runtime_size(const struct elf *elf) {
  struct code *list = calloc((size_t)elf->symbol_count + 1, sizeof *list);
  uint64_t constants = 0;
  size_t count = 0;
  for (uint64_t i = 0; list && i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    bool ours = is_ours(symbol.name);
    if (!symbol.section || !symbol.size)
      continue;
    if (symbol.type == FUNCTION)
      list[count++] = (struct code){symbol.value, symbol.size,
                                    ours              ? OURS
                                    : !symbol.binding ? LOCAL
                                                      : OTHERS};
    else if (symbol.type == OBJECT && ours && is_in_flash(elf, &symbol))
      constants += symbol.size;
  }
  if (list)
    qsort(list, count, sizeof *list, by_address);
  uint64_t size = list ? add_up(list, count) : 0;
  free(list);
  return size + constants;
}

/* ---- the rest ---- */

static uint64_t loaded(const struct facts *facts, enum section_id id) {
  const struct elf_section *section = &facts->sections[id];
  return is_loaded(section) ? section->size : 0;
}

static uint64_t placed(const struct facts *facts, enum section_id id) {
  const struct elf_section *section = &facts->sections[id];
  return section->flags & ELF_ALLOC ? section->size : 0;
}

/* By what tests/bench/wire has measured of five programs, between counters
 * that are mostly 0 and such that are all different. Of slots all are free,
 * or in use. Names go as they are, records take somewhat more than half of
 * their size. */
static void estimate(const struct facts *facts, struct costs *costs) {
  uint64_t count = costs->counters;
  const struct elf_section *sections = facts->sections;
  const struct elf_section *records = &sections[DATA];
  const struct elf_section *names = &sections[NAMES];
  if (facts->bytes) {
    costs->lean[0] = 80 + count / 16;
    costs->lean[1] = 80 + count / 4;
  } else {
    count /= 8;
    costs->lean[0] = 80 + count / 2;
    costs->lean[1] = 80 + count * 5 / 4;
  }
  costs->lean[0] += costs->bitmap / 2 + facts->storage.count / 16;
  costs->lean[1] += costs->bitmap + (uint64_t)facts->storage.count * 8;
  costs->full[0] = costs->lean[0] + names->size + records->size / 2;
  costs->full[1] = costs->lean[1] + names->size + records->size * 2 / 3;
}

/* Budgets of bareprof.h and bareprof_wire.h, for 32 bits. */
static unsigned stack_of(const struct facts *facts) {
  const struct symbol *symbols = facts->symbols;
  if (facts->elf->wide)
    return 0;
  return symbols[SERVE].defined || symbols[SEND_AS].defined ? 440
         : symbols[SEND_LEAN].defined                       ? 392
         : symbols[MERGE_IMAGE].defined                     ? 488
         : symbols[WRITE_IMAGE].defined                     ? 352
                                                            : 0;
}

struct costs costs_of(const struct facts *facts) {
  struct elf_section guard;
  elf_find_section(facts->elf, ".bareprof_guard", &guard);
  struct costs costs = {.counters = placed(facts, CNTS),
                        .bitmap = placed(facts, BITS),
                        .values = placed(facts, VALS) + placed(facts, VNDS) +
                                  storage_size(&facts->storage),
                        .guard = guard.size,
                        .records = loaded(facts, DATA),
                        .names = loaded(facts, NAMES),
                        .vtables = loaded(facts, VTAB) + loaded(facts, VNS),
                        .maps = loaded(facts, COVMAP) + loaded(facts, COVFUN) +
                                loaded(facts, COVDATA) +
                                loaded(facts, COVNAMES),
                        .initial = loaded(facts, CNTS) + loaded(facts, BITS) +
                                   loaded(facts, VALS) + loaded(facts, VNDS),
                        .runtime = runtime_size(facts->elf),
                        .stack = stack_of(facts)};
  estimate(facts, &costs);
  return costs;
}
