/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where code is, and what it is called.
 */
#include <stdlib.h>
#include <string.h>

#include "../object/md5.h"
#include "../base/search.h"
#include "inside.h"

enum { SECTION_EXECUTES = 4, MACHINE_ARM = 40 };
enum { TYPE_NONE = 0, TYPE_FUNCTION = 2, TYPE_INDIRECT = 10 };

static const char no_memory[] = "not enough memory; free some";

/* Before one symbol is chosen for each address. */
struct candidate {
  struct probe_symbol symbol;
  uint64_t section_end;
  uint32_t rank; /* the least is chosen */
};

struct reading {
  struct probes *probes;
  const struct elf *elf;
  struct candidate *candidates;
  size_t count;
  struct elf_section section; /* of the last symbol */
  uint32_t section_number;
};

static bool is_code(struct reading *reading, const struct elf_symbol *symbol) {
  if (symbol->section == 0 || symbol->section >= reading->elf->section_count ||
      !symbol->name[0])
    return false;
  if (symbol->section != reading->section_number) {
    reading->section = elf_section(reading->elf, symbol->section);
    reading->section_number = symbol->section;
  }
  if (!(reading->section.flags & SECTION_EXECUTES))
    return false;
  /* Assembly may leave out the type. Labels inside of functions, and those
   * that say where Thumb code or data begins, are no functions. */
  return symbol->type == TYPE_FUNCTION || symbol->type == TYPE_INDIRECT ||
         (symbol->type == TYPE_NONE && symbol->name[0] != '.' &&
          symbol->name[0] != '$');
}

static void take(struct reading *reading, uint32_t number) {
  struct elf_symbol symbol = elf_symbol(reading->elf, number);
  if (!is_code(reading, &symbol))
    return;
  bool thumb = reading->elf->machine == MACHINE_ARM && symbol.value & 1;
  uint64_t address = symbol.value - thumb;
  uint64_t guid = md5_low64(symbol.name, strlen(symbol.name));
  reading->probes->names[reading->probes->name_count++] = (struct probe_name){
      .guid = guid, .address = address, .name = symbol.name, .number = number};
  reading->candidates[reading->count++] = (struct candidate){
      {address, symbol.size, guid, symbol.name},
      reading->section.address + reading->section.size,
      /* One that a descriptor knows, then one with a size, a global one. */
      (probes_function(reading->probes, guid) ? 0 : 8) + (symbol.size ? 0 : 4) +
          (symbol.type == TYPE_NONE ? 2 : 0) + (symbol.binding ? 0 : 1)};
}

static int by_address(const void *left, const void *right) {
  const struct candidate *a = left, *b = right;
  if (a->symbol.address != b->symbol.address)
    return a->symbol.address < b->symbol.address ? -1 : 1;
  if (a->rank != b->rank)
    return a->rank < b->rank ? -1 : 1;
  return strcmp(a->symbol.name, b->symbol.name);
}

static int by_guid(const void *left, const void *right) {
  const struct probe_name *a = left, *b = right;
  if (a->guid != b->guid)
    return a->guid < b->guid ? -1 : 1;
  if (a->address != b->address)
    return a->address < b->address ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

/* A label without a size is no function of its own inside of one that has. */
static void choose(struct probes *probes, struct candidate *from,
                   size_t count) {
  struct probe_symbol *to = (struct probe_symbol *)probes->symbols;
  uint64_t end = 0;
  for (size_t i = 0; i < count; i++) {
    struct probe_symbol symbol = from[i].symbol;
    if (probes->symbol_count &&
        (symbol.address == to[probes->symbol_count - 1].address ||
         (!symbol.size && symbol.address < end)))
      continue;
    if (symbol.size > UINT64_MAX - symbol.address)
      symbol.size = UINT64_MAX - symbol.address;
    if (symbol.size)
      end = symbol.address + symbol.size;
    else if (from[i].section_end > symbol.address)
      symbol.size = from[i].section_end - symbol.address;
    to[probes->symbol_count++] = symbol;
  }
  for (size_t i = 1; i < probes->symbol_count; i++)
    if (to[i].address - to[i - 1].address < to[i - 1].size)
      to[i - 1].size = to[i].address - to[i - 1].address;
}

/* The same name at the same address once. */
static void settle_names(struct probes *probes) {
  struct probe_name *names = probes->names;
  size_t kept = 0;
  qsort(names, probes->name_count, sizeof *names, by_guid);
  for (size_t i = 0; i < probes->name_count; i++) {
    if (kept && names[kept - 1].guid == names[i].guid &&
        names[kept - 1].address == names[i].address)
      kept--;
    names[kept++] = names[i];
  }
  probes->name_count = kept;
  for (size_t first = 0, i = 0; i < kept; i++) {
    if (names[i].guid != names[first].guid)
      first = i;
    names[first].count = (uint32_t)(i - first + 1);
    if (names[first + names[first].last].number < names[i].number)
      names[first].last = (uint32_t)(i - first);
  }
}

const char *probe_symbols_read(struct probes *probes, const struct elf *elf) {
  struct reading reading = {.probes = probes, .elf = elf};
  size_t room = (size_t)elf->symbol_count + 1;
  probes->no_symtab = elf->symbol_count == 0;
  if (elf->symbol_count > UINT32_MAX)
    return "it has more symbols than any program; link it again";
  reading.candidates = calloc(room, sizeof *reading.candidates);
  probes->names = arena_take(&probes->arena, room * sizeof *probes->names);
  probes->symbols = arena_take(&probes->arena, room * sizeof *probes->symbols);
  if (!reading.candidates || !probes->names || !probes->symbols) {
    free(reading.candidates);
    return no_memory;
  }
  for (uint32_t i = 0; i < elf->symbol_count; i++)
    take(&reading, i);
  qsort(reading.candidates, reading.count, sizeof *reading.candidates,
        by_address);
  choose(probes, reading.candidates, reading.count);
  free(reading.candidates);
  settle_names(probes);
  return NULL;
}

/* ---- looking up ---- */

struct probe_name *probe_names_find(const struct probes *probes,
                                    uint64_t guid) {
  size_t low = search_key(probes->names, sizeof *probes->names,
                          probes->name_count, guid);
  return low < probes->name_count && probes->names[low].guid == guid
             ? probes->names + low
             : NULL;
}

bool probe_has_code(const struct probes *probes, uint64_t guid) {
  return probe_names_find(probes, guid) != NULL;
}

const struct probe_symbol *probes_symbol(const struct probes *probes,
                                         uint64_t address) {
  size_t low = 0, high = probes->symbol_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (probes->symbols[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (!low)
    return NULL;
  const struct probe_symbol *symbol = &probes->symbols[low - 1];
  return address - symbol->address < symbol->size ? symbol : NULL;
}
