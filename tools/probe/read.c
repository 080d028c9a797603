/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From an ELF to struct probes.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/error.h"
#include "../object/digest.h"
#include "probe_inside.h"

/* ==== The descriptors of functions: GUID, hash, a ULEB128 length, the name. */

static const char functions_cut[] =
    "its section .pseudo_probe_desc is damaged or cut; link it again";

/* Equal elements stay in the order of the file. Addresses cannot give the
 * order, because name lies in an arena that grows. */
struct numbered_function {
  struct probe_function function;
  size_t number;
};

ORDER_BY(functions_by_guid, struct numbered_function, x->function.guid,
         x->number);

static bool next_function(struct bytes *rest, bool big,
                          struct probe_function *function, struct bytes *name) {
  const unsigned char *end = rest->data + rest->size;
  uint64_t size;
  if (rest->size < 17)
    return false;
  const unsigned char *at = rest->data + 16;
  if (!read_uleb128(&at, end, &size) || size > (size_t)(end - at))
    return false;
  *function = (struct probe_function){load64(rest->data, big),
                                      load64(rest->data + 8, big), NULL, false};
  *name = (struct bytes){at, (size_t)size};
  *rest = (struct bytes){at + size, (size_t)(end - at - size)};
  return true;
}

static const char *take_functions(struct probes *probes, struct bytes rest,
                                  bool big, struct numbered_function *list) {
  struct bytes name;
  for (size_t i = 0; rest.size; i++) {
    struct probe_function *function = &list[i].function;
    if (!next_function(&rest, big, function, &name))
      return functions_cut;
    list[i].number = i;
    function->name = arena_copy(&probes->arena, name.data, name.size);
    if (!function->name)
      return out_of_memory;
  }
  return NULL;
}

/* The first of each GUID: linkers keep that of a COMDAT, too. */
static void keep_first_functions(struct probes *probes,
                                 const struct numbered_function *list,
                                 size_t count) {
  struct probe_function *to = (struct probe_function *)probes->functions;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (kept && to[kept - 1].guid == list[i].function.guid)
      probes->repeated += to[kept - 1].hash != list[i].function.hash;
    else
      to[kept++] = list[i].function;
  }
  probes->function_count = kept;
}

static const char *probe_functions_read(struct probes *probes,
                                        struct bytes section, bool big) {
  struct bytes rest = section, name;
  struct probe_function function;
  size_t count = 0;
  for (; rest.size; count++)
    if (!next_function(&rest, big, &function, &name))
      return functions_cut;
  struct numbered_function *list = calloc(count + 1, sizeof *list);
  probes->functions =
      arena_take(&probes->arena, (count + 1) * sizeof *probes->functions);
  const char *error = list && probes->functions
                          ? take_functions(probes, section, big, list)
                          : out_of_memory;
  if (!error) {
    qsort(list, count, sizeof *list, functions_by_guid);
    keep_first_functions(probes, list, count);
  }
  free(list);
  return error;
}

/* ==== Where code is, and what it is called. */

enum { SECTION_EXECUTES = 4, MACHINE_ARM = 40 };
enum { TYPE_NONE = 0, TYPE_FUNCTION = 2, TYPE_INDIRECT = 10 };

/* Before one symbol is chosen for each address. */
struct candidate {
  struct probe_symbol symbol;
  uint64_t section_end;
  uint32_t rank; /* the least is chosen */
};

struct probe_reading {
  struct probes *probes;
  const struct elf *elf;
  struct candidate *candidates;
  size_t count;
  struct elf_section section; /* of the last symbol */
  uint32_t section_number;
};

static bool is_code(struct probe_reading *reading,
                    const struct elf_symbol *symbol) {
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

static void take_symbol(struct probe_reading *reading, uint32_t number) {
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

static int candidates_by_address(const void *left, const void *right) {
  const struct candidate *a = left, *b = right;
  if (a->symbol.address != b->symbol.address)
    return a->symbol.address < b->symbol.address ? -1 : 1;
  if (a->rank != b->rank)
    return a->rank < b->rank ? -1 : 1;
  return strcmp(a->symbol.name, b->symbol.name);
}

ORDER_BY(names_by_guid, struct probe_name, x->guid, x->address, x->number);

/* A label without a size is no function of its own inside of one that has. */
static void choose_symbols(struct probes *probes, struct candidate *from,
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
  qsort(names, probes->name_count, sizeof *names, names_by_guid);
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

static const char *probe_symbols_read(struct probes *probes,
                                      const struct elf *elf) {
  struct probe_reading reading = {.probes = probes, .elf = elf};
  size_t room = (size_t)elf->symbol_count + 1;
  probes->no_symtab = elf->symbol_count == 0;
  if (elf->symbol_count > UINT32_MAX)
    return "it has more symbols than any program; link it again";
  reading.candidates = calloc(room, sizeof *reading.candidates);
  probes->names = arena_take(&probes->arena, room * sizeof *probes->names);
  probes->symbols = arena_take(&probes->arena, room * sizeof *probes->symbols);
  if (!reading.candidates || !probes->names || !probes->symbols) {
    free(reading.candidates);
    return out_of_memory;
  }
  for (uint32_t i = 0; i < elf->symbol_count; i++)
    take_symbol(&reading, i);
  qsort(reading.candidates, reading.count, sizeof *reading.candidates,
        candidates_by_address);
  choose_symbols(probes, reading.candidates, reading.count);
  free(reading.candidates);
  settle_names(probes);
  return NULL;
}

/* ==== The ELF. */

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
  return error;
}

static const char *refuse_stripped(const struct probes *probes) {
  if (!probes->no_symtab || probes->count)
    return NULL;
  return "it has no symbol table, and only symbols say where its probes are; "
         "give the ELF before `strip` (`strip -g` keeps what is needed)";
}

/* Of the functions, which are this file's to change. */
static void find_code(const struct probes *probes) {
  struct probe_function *functions = (struct probe_function *)probes->functions;
  for (size_t i = 0; i < probes->function_count; i++)
    functions[i].has_code = probe_names_find(probes, functions[i].guid);
  for (size_t i = 0; i < probes->record_count; i++) {
    const struct probe_record *record = &probes->records[i];
    const struct probe_function *function =
        probes_function(probes, record->guid);
    if (function && record->placed != PROBE_NO_SYMBOL &&
        record->placed != PROBE_NO_CODE)
      functions[function - probes->functions].has_code = true;
  }
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
    return ELF_NOT_LINKED;
  if (!elf_find_section(elf, ".pseudo_probe", &section) || !section.size)
    return "it has no pseudo probes; compile with -fpseudo-probe-for-profiling"
           ", keep the section .pseudo_probe when linking, and give the ELF "
           "before strip";
  const char *error = read_functions(probes, elf);
  if (!error)
    error = probe_symbols_read(probes, elf);
  if (!error)
    error = read_probes(probes, elf, &section, encoding);
  if (error)
    return error;
  find_code(probes);
  return refuse_stripped(probes);
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
