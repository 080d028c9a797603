/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions of an ELF, from its symbols: local ones too, and those that
 * link-time optimisation has made. The list of entries that compilers leave
 * (__patchable_function_entries) is not needed, and with gcc often taken out,
 * because it keeps dead functions alive.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/error.h"
#include "../../object/digest.h"
#include "patch.h"

enum { GLOBAL = 1 }; /* a binding */

/* More than any program has. */
#define FUNCTIONS_MOST ((size_t)1 << 22)
#define NAMES_MOST ((size_t)1 << 28)

static const char damaged[] = "the ELF file is damaged; link it again";

/* ---- pieces of the file that are loaded ---- */

struct load {
  uint64_t offset, size;
};

/* A symbol that says whether code or data begins. */
struct mapping_symbol {
  uint64_t address;
  uint32_t symbol;
  bool data;
};

struct nop_finder {
  struct patch *patch;
  struct load *loads; /* by ascending offset */
  size_t load_count;
  struct mapping_symbol *marks; /* by ascending address */
  size_t mark_count;
};

ORDER_BY(compare_loads, struct load, x->offset);

static const char *find_loads(struct nop_finder *finder) {
  const struct elf *elf = &finder->patch->elf;
  finder->loads = malloc((elf->segment_count + 1) * sizeof *finder->loads);
  if (!finder->loads)
    return out_of_memory;
  for (uint64_t i = 0; i < elf->segment_count; i++) {
    struct elf_segment segment = elf_segment(elf, i);
    if (segment.type == ELF_PT_LOAD && segment.bytes)
      finder->loads[finder->load_count++] =
          (struct load){segment.offset, segment.file_size};
  }
  qsort(finder->loads, finder->load_count, sizeof *finder->loads,
        compare_loads);
  return NULL;
}

static bool is_loaded(const struct nop_finder *finder, uint64_t offset) {
  size_t low = search_behind(finder->loads, finder->load_count, offset, offset);
  return low &&
         offset - finder->loads[low - 1].offset < finder->loads[low - 1].size;
}

/* ---- symbols ---- */

/* $a, $t, $x: code. $d: data. A dot, or an architecture, may follow. */
static bool is_mark(const struct elf *elf, const struct elf_symbol *symbol) {
  const char *name = symbol->name;
  return !symbol->type && !symbol->binding &&
         name[0] == '$' && name[1] && strchr("atxd", name[1]) &&
         elf_has_code(elf, symbol->section);
}

static bool is_function(const struct elf_symbol *symbol) {
  return symbol->type == ELF_FUNCTION && symbol->section &&
         symbol->section < ELF_RESERVED && *symbol->name;
}

static const char *count_symbols(struct nop_finder *finder) {
  struct patch *patch = finder->patch;
  const struct elf *elf = &patch->elf;
  size_t functions = 0, marks = 0, names = 0;
  for (uint64_t i = 1; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (is_mark(elf, &symbol))
      marks++;
    if (!is_function(&symbol))
      continue;
    functions++;
    names += strlen(symbol.name);
    if (functions > FUNCTIONS_MOST || names > NAMES_MOST)
      return "it has more functions than this tool takes; is it the right "
             "file?";
  }
  if (!functions)
    return "none of its symbols is a function; give it as it was linked";
  patch->functions = calloc(functions, sizeof *patch->functions);
  finder->marks = malloc((marks + 1) * sizeof *finder->marks);
  return patch->functions && finder->marks ? NULL : out_of_memory;
}

static void take_symbols(struct nop_finder *finder) {
  struct patch *patch = finder->patch;
  const struct elf *elf = &patch->elf;
  bool arm = elf->machine == ELF_ARM;
  for (uint64_t i = 1; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (is_mark(elf, &symbol))
      finder->marks[finder->mark_count++] = (struct mapping_symbol){
          symbol.value, (uint32_t)i, symbol.name[1] == 'd'};
    if (!is_function(&symbol))
      continue;
    struct patch_function *function =
        &patch->functions[patch->function_count++];
    *function = (struct patch_function){.name = symbol.name,
                                        .address = symbol.value,
                                        .size = symbol.size,
                                        .symbol = (uint32_t)i,
                                        .section = symbol.section,
                                        .binding = symbol.binding};
    function->thumb = arm && symbol.value & 1;
    function->address -= function->thumb;
  }
}

ORDER_BY(compare_marks, struct mapping_symbol, x->address, x->symbol);

/* Of names for one address, the global one is the function's, then the weak
 * one. Of several, the alphabetically first: GNU ld's order of symbols has no
 * meaning. */
static int rank_of(const struct patch_function *function) {
  return function->binding == GLOBAL ? 0 : !function->binding ? 2 : 1;
}

static int compare_functions(const void *left, const void *right) {
  const struct patch_function *a = left, *b = right;
  if (a->address != b->address)
    return a->address < b->address ? -1 : 1;
  if (rank_of(a) != rank_of(b))
    return rank_of(a) - rank_of(b);
  int order = strcmp(a->name, b->name);
  if (order)
    return order;
  return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

/* ---- what is at an address ---- */

static bool is_data(const struct nop_finder *finder, uint64_t address) {
  size_t low =
      search_behind(finder->marks, finder->mark_count, address, address);
  return low && finder->marks[low - 1].data;
}

/* Where it is in the file, and how much of it may be changed: not what
 * belongs to next, which may be NULL. */
static enum patch_skip place_function(const struct nop_finder *finder,
                                      struct patch_function *function,
                                      const struct patch_function *next) {
  const struct elf *elf = &finder->patch->elf;
  if (!function->size)
    return PATCH_EMPTY;
  if (function->section >= elf->section_count)
    return PATCH_ELSEWHERE;
  struct elf_section section = elf_section(elf, function->section);
  uint64_t distance = function->address - section.address;
  if (!section.bytes || !(section.flags & ELF_ALLOC) ||
      !(section.flags & ELF_CODE) || section.flags & ELF_COMPRESSED ||
      function->address < section.address || distance >= section.size)
    return PATCH_ELSEWHERE;
  function->offset = section.offset + distance;
  function->room = section.size - distance;
  if (function->room > function->size)
    function->room = function->size;
  if (next && function->room > next->address - function->address)
    function->room = next->address - function->address;
  if (!is_loaded(finder, function->offset) ||
      !is_loaded(finder, function->offset + function->room - 1))
    return PATCH_ELSEWHERE;
  return is_data(finder, function->address) ? PATCH_DATA : PATCH_DONE;
}

/* The functions without those that are aliases of the one before. Sizes may
 * differ, as with an alias that assembly defines. */
static void join_aliases(struct patch *patch) {
  struct patch_function *list = patch->functions;
  for (size_t i = 1, first = 0; i < patch->function_count; i++) {
    if (list[i].address != list[first].address) {
      first = i;
      continue;
    }
    list[i].skip = PATCH_ALIAS;
    if (list[first].size < list[i].size)
      list[first].size = list[i].size;
  }
}

/* Where all aliases that follow have been gone over. */
static size_t next_function(const struct patch *patch, size_t i) {
  do
    i++;
  while (i < patch->function_count && patch->functions[i].skip == PATCH_ALIAS);
  return i;
}

static const char *place_all(const struct nop_finder *finder) {
  struct patch *patch = finder->patch;
  uint64_t sum = 0;
  for (size_t i = 0, next; i < patch->function_count; i = next) {
    struct patch_function *function = &patch->functions[i];
    next = next_function(patch, i);
    function->skip = place_function(
        finder, function,
        next < patch->function_count ? &patch->functions[next] : NULL);
    sum += function->room;
    /* Sections that lie on each other. */
    if (sum > patch->input.size)
      return damaged;
  }
  return NULL;
}

const char *patch_find(struct patch *patch) {
  struct nop_finder finder = {.patch = patch};
  const char *error = find_loads(&finder);
  if (!error)
    error = count_symbols(&finder);
  if (!error) {
    take_symbols(&finder);
    qsort(finder.marks, finder.mark_count, sizeof *finder.marks, compare_marks);
    qsort(patch->functions, patch->function_count, sizeof *patch->functions,
          compare_functions);
    join_aliases(patch);
    error = place_all(&finder);
  }
  free(finder.loads);
  free(finder.marks);
  return error;
}
