/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From an ELF to struct probes.
 */
#include <stdlib.h>

#include "inside.h"

/* ---- places ---- */

/* Of records that share a name there are as many as symbols, or nobody knows
 * which is where. */
static void guess(struct probes *probes, struct probe_record *records,
                  uint64_t *shifts) {
  for (size_t i = 0; i < probes->record_count; i++) {
    struct probe_record *record = &records[i];
    if (record->encoding != PROBE_DELTA || record->placed != PROBE_PLACED)
      continue;
    const struct probe_name *names = probe_names_find(
        probes, record->fragment ? record->fragment : record->guid);
    if (!names || names->count < 2 || names->taken == names->count)
      continue;
    uint64_t address = names[names->last].address;
    shifts[i] = address - record->address;
    record->address = address;
    record->placed = PROBE_GUESSED;
  }
}

/* *last: the symbol of the probe before, or NULL. Most are in the same. */
static void check_bounds(const struct probes *probes,
                         struct probe_record *record, const struct probe *probe,
                         const struct probe_symbol **last) {
  if (record->placed != PROBE_PLACED || !probes->symbol_count)
    return;
  if (!*last || probe->address - (*last)->address >= (*last)->size)
    *last = probes_symbol(probes, probe->address);
  if (!*last)
    record->placed = PROBE_DISAGREEING;
}

const char *probe_place(struct probes *probes, unsigned pointer) {
  struct probe *list = (struct probe *)probes->list_memory.data;
  struct probe_record *records =
      (struct probe_record *)probes->record_memory.data;
  uint64_t mask = pointer == 8 ? UINT64_MAX : UINT32_MAX;
  probes->count = probes->list_memory.size / sizeof *list;
  probes->lost_count = probes->lost_memory.size / sizeof *list;
  probes->list = list;
  probes->lost = (const struct probe *)probes->lost_memory.data;
  probes->records = records;
  uint64_t *shifts = calloc(probes->record_count + 1, sizeof *shifts);
  const struct probe_symbol *last = NULL;
  if (!shifts)
    return "not enough memory; free some";
  guess(probes, records, shifts);
  for (size_t i = 0; i < probes->count; i++) {
    struct probe_record *record = &records[list[i].record];
    list[i].address = (list[i].address + shifts[list[i].record]) & mask;
    if (record->placed == PROBE_GUESSED)
      list[i].flags |= PROBE_TWINS;
    check_bounds(probes, record, &list[i], &last);
  }
  free(shifts);
  return probes_sort(list, probes->count, probes->record_count)
             ? NULL
             : "not enough memory; free some";
}

/* ---- the ELF ---- */

static const char *read_section(struct probes *probes, const struct elf *elf,
                                const struct elf_section *section,
                                struct bytes *contents,
                                unsigned char **memory) {
  probes->bytes += section->size;
  if (section->flags & ELF_ALLOC)
    probes->loaded += section->size;
  return elf_contents(elf, section, PROBE_SECTION_MOST, contents, memory);
}

static const char *read_functions(struct probes *probes,
                                  const struct elf *elf) {
  struct elf_section section;
  struct bytes contents = {NULL, 0};
  unsigned char *memory = NULL;
  const char *error = NULL;
  if (elf_find_section(elf, ".pseudo_probe_desc", &section))
    error = read_section(probes, elf, &section, &contents, &memory);
  if (!error)
    error = probe_functions_read(probes, contents, elf->big);
  free(memory);
  return error;
}

static const char *read_probes(struct probes *probes, const struct elf *elf,
                               const struct elf_section *section,
                               unsigned encoding) {
  const struct probe_layout layout = {encoding, elf->wide ? 8 : 4, elf->big};
  struct bytes contents;
  unsigned char *memory;
  const char *error = read_section(probes, elf, section, &contents, &memory);
  if (!error)
    error = probe_records_read(probes, contents, &layout);
  free(memory);
  return error ? error : probe_place(probes, layout.pointer);
}

static const char *refuse(const struct probes *probes) {
  if (!probes->no_symtab || probes->count)
    return NULL;
  return "it has no symbol table, and only symbols say where its probes are; "
         "give the ELF before `strip` (`strip -g` keeps what is needed)";
}

const char *probes_read(struct probes *probes, const struct elf *elf,
                        unsigned encoding) {
  struct elf_section section;
  *probes = (struct probes){.arena = {.limit = (size_t)4 << 30}};
  struct buffer *const buffers[] = {&probes->list_memory, &probes->lost_memory,
                                    &probes->record_memory};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    buffers[i]->limit = PROBE_COUNT_MOST * sizeof(struct probe);
  if (elf->type == ELF_REL)
    return "an object, which is not linked yet; give the linked image";
  if (!elf_find_section(elf, ".pseudo_probe", &section) || !section.size)
    return "it has no pseudo probes; compile with -fpseudo-probe-for-profiling"
           ", keep the section .pseudo_probe when linking, and give the ELF "
           "before strip";
  const char *error = read_functions(probes, elf);
  if (!error)
    error = probe_symbols_read(probes, elf);
  if (!error)
    error = read_probes(probes, elf, &section, encoding);
  return error ? error : refuse(probes);
}

const char *probes_read_symbols(struct probes *probes, const struct elf *elf) {
  *probes = (struct probes){.arena = {.limit = (size_t)4 << 30}};
  return probe_symbols_read(probes, elf);
}

void probes_free(struct probes *probes) {
  arena_free(&probes->arena);
  buffer_free(&probes->list_memory);
  buffer_free(&probes->lost_memory);
  buffer_free(&probes->record_memory);
}

/* ---- looking up ---- */

size_t probes_from(const struct probes *probes, uint64_t address) {
  size_t low = 0, high = probes->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (probes->list[middle].address < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const struct probe *probes_first(const struct probes *probes,
                                 const struct probe_symbol *symbol) {
  size_t i = probes_from(probes, symbol->address);
  return i < probes->count &&
                 probes->list[i].address - symbol->address < symbol->size
             ? &probes->list[i]
             : NULL;
}

uint64_t probe_outermost(const struct probe *probe) {
  uint64_t guid = probe->guid;
  for (const struct probe_frame *at = probe->frame; at; at = at->parent)
    guid = at->guid;
  return guid;
}

const char *probe_type_name(unsigned type) {
  static const char *const names[] = {"Block", "IndirectCall", "DirectCall"};
  return type < sizeof names / sizeof *names ? names[type] : "Unknown";
}
