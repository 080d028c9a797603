/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the functions of an ELF, decides which of them get a sled, makes the
 * sleds, and prints the result. isa.c encodes the sleds; write.c writes them. A
 * sled stores directly if the store fits the nops, otherwise it calls a helper.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../object/digest.h"
#include "../mip_model.h"
#include "patch.h"

/* ==== Finds the functions of an ELF in its symbol table. This also finds local
 * functions, and functions that link-time optimisation has made. The compilers'
 * list of entries (__patchable_function_entries) is not needed. With gcc, users
 * often leave this list out, because it keeps unused functions in the link. */

enum { GLOBAL = 1 }; /* the binding of a global symbol */

/* These limits are above the needs of any program. */
#define FUNCTIONS_MOST ((size_t)1 << 22)
#define NAMES_MOST ((size_t)1 << 28)

static const char damaged[] = "the ELF is damaged; link the ELF again";

/* ---- loaded parts of the file ---- */

struct loaded_range {
  uint64_t offset, size;
};

/* A mapping symbol, which says whether code or data begins at its address. */
struct mapping_symbol {
  uint64_t address;
  uint32_t symbol;
  bool data;
};

struct function_finder {
  struct elf_patch *patch;
  struct loaded_range *loads; /* the loaded ranges, sorted by offset */
  size_t load_count;
  struct mapping_symbol *marks; /* the mapping symbols, sorted by address */
  size_t mark_count;
};

ORDER_BY(compare_ranges, struct loaded_range, x->offset);

static void list_loaded_ranges(struct function_finder *finder) {
  const struct elf *elf = &finder->patch->elf;
  for (uint64_t i = 0; i < elf->segment_count; i++) {
    struct elf_segment segment = elf_segment(elf, i);
    if (segment.type == ELF_PT_LOAD && segment.bytes)
      LIST_ADD(finder->loads, finder->load_count,
               (struct loaded_range){segment.offset, segment.file_size});
  }
  sort_array(finder->loads, finder->load_count, sizeof *finder->loads,
             compare_ranges);
}

static bool is_offset_loaded(const struct function_finder *finder,
                             uint64_t offset) {
  size_t low = search_after(finder->loads, finder->load_count, offset, offset);
  return low &&
         offset - finder->loads[low - 1].offset < finder->loads[low - 1].size;
}

/* ---- symbols ---- */

/* Returns whether the symbol is a mapping symbol: $a, $t, $x for code, $d for
 * data. A dot or the name of an architecture may follow. */
static bool is_mapping_symbol(const struct elf *elf,
                              const struct elf_symbol *symbol) {
  const char *name = symbol->name;
  return !symbol->type && !symbol->binding && name[0] == '$' && name[1] &&
         strchr("atxd", name[1]) && elf_section_has_code(elf, symbol->section);
}

static bool is_function_symbol(const struct elf_symbol *symbol) {
  return symbol->type == ELF_FUNCTION && symbol->section &&
         symbol->section < ELF_RESERVED && *symbol->name;
}

/* Lists the symbols of functions, and the mapping symbols. Returns NULL or the
 * error. */
static const char *list_symbols(struct function_finder *finder) {
  struct elf_patch *patch = finder->patch;
  const struct elf *elf = &patch->elf;
  size_t names = 0;
  for (uint64_t i = 1; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    bool thumb = elf->machine == ELF_ARM && symbol.value & 1;
    if (is_mapping_symbol(elf, &symbol))
      LIST_ADD(finder->marks, finder->mark_count,
               (struct mapping_symbol){symbol.value, (uint32_t)i,
                                       symbol.name[1] == 'd'});
    if (!is_function_symbol(&symbol))
      continue;
    names += strlen(symbol.name);
    if (patch->function_count == FUNCTIONS_MOST || names > NAMES_MOST)
      return "the ELF has more functions than bareprof accepts; check that "
             "this is the right file";
    LIST_ADD(patch->functions, patch->function_count,
             (struct patch_function){.name = symbol.name,
                                     .address = symbol.value - thumb,
                                     .size = symbol.size,
                                     .symbol = (uint32_t)i,
                                     .section = symbol.section,
                                     .binding = symbol.binding,
                                     .thumb = thumb});
  }
  return patch->function_count ? NULL
                               : "no symbol of the ELF is a function; pass the "
                                 "ELF as the linker wrote it";
}

ORDER_BY(compare_marks, struct mapping_symbol, x->address, x->symbol);

/* Returns the rank of a symbol. If several symbols have one address, the
 * function gets the global name, else the weak name. Among equal ranks, the
 * first name in the alphabet is used, because the order of GNU ld's symbols
 * means nothing. */
static int binding_rank(const struct patch_function *function) {
  return function->binding == GLOBAL ? 0 : !function->binding ? 2 : 1;
}

static int compare_functions(const void *left, const void *right) {
  const struct patch_function *a = left, *b = right;
  if (a->address != b->address)
    return a->address < b->address ? -1 : 1;
  if (binding_rank(a) != binding_rank(b))
    return binding_rank(a) - binding_rank(b);
  int order = strcmp(a->name, b->name);
  if (order)
    return order;
  return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

/* ---- the code at an address ---- */

static bool is_data_address(const struct function_finder *finder,
                            uint64_t address) {
  size_t low =
      search_after(finder->marks, finder->mark_count, address, address);
  return low && finder->marks[low - 1].data;
}

/* Finds the function in the file, and the number of bytes that belong to the
 * function and not to the function `next`, which may be NULL. Returns
 * PATCH_DONE, or the reason why the function cannot be patched. */
static enum patch_skip
locate_function_bytes(const struct function_finder *finder,
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
  if (!is_offset_loaded(finder, function->offset) ||
      !is_offset_loaded(finder, function->offset + function->room - 1))
    return PATCH_ELSEWHERE;
  return is_data_address(finder, function->address) ? PATCH_DATA : PATCH_DONE;
}

/* Marks the functions after the first one of an address as aliases. The sizes
 * may differ, for example in assembly, so the first one gets the largest. */
static void mark_aliases(struct elf_patch *patch) {
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

/* Returns the index of the next function that is not an alias. */
static size_t skip_aliases(const struct elf_patch *patch, size_t i) {
  do
    i++;
  while (i < patch->function_count && patch->functions[i].skip == PATCH_ALIAS);
  return i;
}

static const char *
locate_all_function_bytes(const struct function_finder *finder) {
  struct elf_patch *patch = finder->patch;
  uint64_t sum = 0;
  for (size_t i = 0, next; i < patch->function_count; i = next) {
    struct patch_function *function = &patch->functions[i];
    next = skip_aliases(patch, i);
    function->skip = locate_function_bytes(
        finder, function,
        next < patch->function_count ? &patch->functions[next] : NULL);
    sum += function->room;
    /* The sum is larger than the file only if sections overlap in the file. */
    if (sum > patch->input.size)
      return damaged;
  }
  return NULL;
}

const char *patch_list_functions(struct elf_patch *patch) {
  struct function_finder finder = {.patch = patch};
  list_loaded_ranges(&finder);
  const char *error = list_symbols(&finder);
  if (!error) {
    sort_array(finder.marks, finder.mark_count, sizeof *finder.marks,
               compare_marks);
    qsort(patch->functions, patch->function_count, sizeof *patch->functions,
          compare_functions);
    mark_aliases(patch);
    error = locate_all_function_bytes(&finder);
  }
  free(finder.loads);
  free(finder.marks);
  return error;
}

/* ==== Chooses functions, and makes sleds. */

enum { RAW_HEADER = 24, NOPS_MOST = PATCH_SLED_MOST };

/* The reasons why functions are not patched, in words for users. */
static const char *const patch_skip_text[PATCH_SKIPS] = {
    [PATCH_DONE] = "patched",
    [PATCH_NOT_CHOSEN] = "not chosen",
    [PATCH_ALIAS] = "another name of the same code",
    [PATCH_OWN] = "part of bareprof",
    [PATCH_EMPTY] = "size 0, as of assembly without .size",
    [PATCH_ELSEWHERE] = "not in a loaded section of code",
    [PATCH_DATA] = "data, by its mapping symbol",
    [PATCH_NO_NOPS] = "no nops at its entry",
    [PATCH_HANDLER] = "interrupt handler, in which no register is free",
    [PATCH_NESTED] = "may be a nested function, whose static chain is in ip",
    [PATCH_SHORT] = "too few nops",
    [PATCH_FAR] = "no helper of bareprof in reach"};

/* ---- choosing by name ---- */

void patch_sort_names(struct patch_choice *choice) {
  sort_array(choice->names, choice->name_count, sizeof *choice->names,
             compare_texts);
}

static bool is_function_chosen(const struct patch_choice *choice,
                               const char *name) {
  for (size_t i = 0; i < choice->part_count; i++)
    if (strstr(name, choice->parts[i]))
      return true;
  return choice->name_count && bsearch(&name, choice->names, choice->name_count,
                                       sizeof *choice->names, compare_texts);
}

void patch_choose_functions(struct elf_patch *patch,
                            const struct patch_choice *choice) {
  bool all = !choice->part_count && !choice->name_count, chosen = false;
  /* Aliases come after their function, so the loop goes backwards. */
  for (size_t i = patch->function_count; i--;) {
    struct patch_function *function = &patch->functions[i];
    chosen = chosen || all || is_function_chosen(choice, function->name);
    if (function->skip == PATCH_ALIAS)
      continue;
    if (!chosen)
      function->skip = PATCH_NOT_CHOSEN;
    chosen = false;
  }
}

/* ---- the code at the entry ---- */

static void measure_entry_nops(const struct patch_isa *isa,
                               const unsigned char *code,
                               struct patch_function *function) {
  size_t room = (size_t)function->room;
  unsigned at = 0, size;
  /* The function may begin with both bti and paciasp. */
  for (int i = 0; i < 2; i++)
    at += patch_match_pattern(isa, isa->markers, code + at, room - at);
  function->marker = at;
  while (at - function->marker < NOPS_MOST &&
         (size = patch_match_pattern(isa, isa->nops, code + at, room - at)))
    at += size;
  function->nops = at - function->marker;
}

static bool has_handler_return(const struct patch_isa *isa,
                               const unsigned char *code, size_t room) {
  for (size_t at = 0; at < room; at += isa->step)
    if (patch_match_pattern(isa, isa->returns, code + at, room - at))
      return true;
  return false;
}

/* Returns whether the name belongs to bareprof. The functions of bareprof write
 * the raw section, so sleds in these functions would change the section. */
static bool is_bareprof_name(const char *name) {
  return elf_is_runtime_name(name) || !strncmp(name, "__bareprof_", 11);
}

/* Returns whether a function may be a nested function. gcc calls a nested
 * function NAME.NUMBER, and its clone NAME.NUMBER.constprop.0; the clone of
 * another function is NAME.constprop.0. clang uses NAME.NUMBER for a local
 * function whose name is taken. */
static bool may_be_nested(const struct patch_function *function) {
  const char *dot = strchr(function->name, '.');
  size_t digits = dot ? strspn(dot + 1, "0123456789") : 0;
  return function->binding == 0 && digits &&
         (!dot[1 + digits] || dot[1 + digits] == '.');
}

static enum patch_skip measure_or_skip_entry(const struct elf_patch *patch,
                                             const struct patch_isa *isa,
                                             struct patch_function *function) {
  const unsigned char *code = patch->input.data + function->offset;
  measure_entry_nops(isa, code, function);
  if (!function->nops)
    return PATCH_NO_NOPS;
  if (is_bareprof_name(function->name))
    return PATCH_OWN;
  if (has_handler_return(isa, code, (size_t)function->room))
    return PATCH_HANDLER;
  return isa->takes_chain && may_be_nested(function) ? PATCH_NESTED
                                                     : PATCH_DONE;
}

size_t patch_measure_and_count_nops(struct elf_patch *patch) {
  size_t count = 0;
  for (size_t i = 0; i < patch->function_count; i++) {
    struct patch_function *function = &patch->functions[i];
    if (function->skip)
      continue;
    measure_entry_nops(patch_find_isa(&patch->elf, function->thumb),
                       patch->input.data + function->offset, function);
    count += function->nops && !is_bareprof_name(function->name);
  }
  return count;
}

/* ---- the sled ---- */

/* Returns the address of the raw bytes of the function with an index. */
static uint64_t raw_address(const struct elf_patch *patch, uint32_t index) {
  return patch->begin + RAW_HEADER +
         (uint64_t)index * mip_entry_size(patch_profile_type(patch->mode));
}

static enum patch_skip make_sled(const struct elf_patch *patch,
                                 const struct patch_isa *isa,
                                 struct patch_function *function) {
  const unsigned char *code = patch->input.data + function->offset;
  struct patch_sled_place place = {.nops = code + function->marker,
                                   .address =
                                       function->address + function->marker,
                                   .raw = raw_address(patch, function->index),
                                   .helper = patch->helper,
                                   .index = function->index};
  unsigned store = 0, call = 0;
  if (patch->mode == PATCH_COVERAGE)
    store = isa->store(&place, function->sled);
  function->needs = store;
  if (store && store <= function->nops)
    return PATCH_DONE;
  if (place.helper)
    call = isa->call(&place, function->sled);
  if (call && (!store || call < store))
    function->needs = call;
  if (call && call <= function->nops)
    return PATCH_DONE;
  return store || call ? PATCH_SHORT : PATCH_FAR;
}

/* If the sled ends in the middle of a nop, fills the rest of the nop with the
 * smallest nops. */
static void fill_last_nop(const struct patch_isa *isa,
                          const unsigned char *nops,
                          struct patch_function *function) {
  unsigned end = 0;
  while (end < function->needs)
    end +=
        patch_match_pattern(isa, isa->nops, nops + end, function->nops - end);
  for (unsigned at = function->needs; at < end; at += isa->fill_size)
    store_number(function->sled + at, isa->fill, isa->fill_size, false);
  function->needs = end;
}

/* Returns how many raw bytes the functions take. */
static unsigned long long raw_size_of_functions(const struct elf_patch *patch,
                                                size_t count) {
  return (unsigned long long)count *
         mip_entry_size(patch_profile_type(patch->mode));
}

static const char *check_raw_room(struct elf_patch *patch) {
  unsigned long long bytes = raw_size_of_functions(patch, patch->done);
  uint64_t room = patch->end - patch->begin;
  if (bytes <= room && RAW_HEADER <= room - bytes)
    return NULL;
  snprintf(
      patch->message, sizeof patch->message,
      "%zu functions need %llu bytes in __llvm_mipraw after its header, but "
      "only %llu are reserved; choose fewer with --function, or add or change "
      "this line: BAREPROF_MIP_ROOM(%llu);",
      patch->done, bytes,
      (unsigned long long)(room < RAW_HEADER ? 0 : room - RAW_HEADER), bytes);
  return patch->message;
}

/* Returns the error for functions that need a helper, if the program does not
 * link the helper. */
static const char *explain_missing_helper(struct elf_patch *patch,
                                          size_t count) {
  const char *name = patch_helpers[patch->mode];
  if (patch->mode == PATCH_EDGES || patch->mode == PATCH_SAMPLED)
    snprintf(patch->message, sizeof patch->message,
             "the ELF has no %s; write %s; and BAREPROF_MIP_ROOM(%llu); into "
             "one source file",
             name,
             patch->mode == PATCH_EDGES ? "BAREPROF_MIP_EDGES(entries)"
                                        : "BAREPROF_MIP_SAMPLED(entries, 64)",
             raw_size_of_functions(patch, count));
  else
    snprintf(patch->message, sizeof patch->message,
             "the ELF has no %s; link with -u %s, or write this line into one "
             "source file: BAREPROF_MIP_ROOM(%llu);",
             name, name, raw_size_of_functions(patch, count));
  return patch->message;
}

/* Checks that at least one function gets a sled. Returns NULL or the error. */
static const char *check_any_patched(struct elf_patch *patch) {
  size_t reasons[PATCH_SKIPS] = {0}, most = PATCH_NOT_CHOSEN;
  if (patch->done)
    return NULL;
  for (size_t i = 0; i < patch->function_count; i++)
    reasons[patch->functions[i].skip]++;
  for (size_t i = PATCH_ALIAS + 1; i < PATCH_SKIPS; i++)
    if (reasons[i] > (most == PATCH_NOT_CHOSEN ? 0 : reasons[most]))
      most = i;
  if (most == PATCH_NOT_CHOSEN)
    return "the ELF has no function with this name; list the names with `nm`";
  if (reasons[PATCH_FAR] && !patch->helper)
    return explain_missing_helper(patch, reasons[PATCH_FAR]);
  if (most == PATCH_FAR)
    snprintf(patch->message, sizeof patch->message,
             "no function can be patched, because %s is too far away; place "
             "this function near the code in the linker script",
             patch_helpers[patch->mode]);
  else
    snprintf(patch->message, sizeof patch->message,
             "no function can be patched, mostly because: %s; compile with "
             "-fpatchable-function-entry=N as `bareprof mip patch --help` says",
             patch_skip_text[most]);
  return patch->message;
}

const char *patch_make_sleds(struct elf_patch *patch) {
  patch->done = 0;
  for (size_t i = 0; i < patch->function_count; i++) {
    struct patch_function *function = &patch->functions[i];
    const struct patch_isa *isa = patch_find_isa(&patch->elf, function->thumb);
    if (function->skip)
      continue;
    function->skip = measure_or_skip_entry(patch, isa, function);
    if (function->skip)
      continue;
    if (patch->done > PATCH_INDEX_MOST)
      return "more than 65,536 functions would get a sled, but sleds have "
             "16-bit numbers; choose functions with --function or --list";
    function->index = (uint32_t)patch->done;
    function->skip = make_sled(patch, isa, function);
    if (function->skip)
      continue;
    fill_last_nop(isa, patch->input.data + function->offset + function->marker,
                  function);
    patch->done++;
  }
  const char *error = check_any_patched(patch);
  return error ? error : check_raw_room(patch);
}

/* ==== Prints the log and the summary, and makes the name of the link unit. */

enum { NAME_ROOM = 1000, UNIT_MOST = 1 << 28 };

/* ---- the log ---- */

static void print_skip_reason(const struct elf_patch *patch, FILE *stream,
                              const struct patch_function *function,
                              const struct patch_function *first) {
  char name[NAME_ROOM], other[NAME_ROOM];
  fprintf(stream, "0x%0*llx %s: %s", patch->elf.wide ? 16 : 8,
          (unsigned long long)function->address,
          make_printable(name, sizeof name, function->name),
          patch_skip_text[function->skip]);
  if (function->skip == PATCH_SHORT)
    fprintf(stream, ": %u bytes of %u", function->nops, function->needs);
  if (function->skip == PATCH_ALIAS)
    fprintf(stream, " as %s", make_printable(other, sizeof other, first->name));
  putc('\n', stream);
}

void patch_print_skipped_functions(const struct elf_patch *patch,
                                   FILE *stream) {
  const struct patch_function *first = patch->functions;
  for (size_t i = 0; i < patch->function_count; i++) {
    const struct patch_function *function = &patch->functions[i];
    if (function->skip != PATCH_ALIAS)
      first = function;
    if (function->skip && first->skip != PATCH_NOT_CHOSEN)
      print_skip_reason(patch, stream, function, first);
  }
}

void patch_print_summary(const struct elf_patch *patch, FILE *stream) {
  size_t counts[PATCH_SKIPS] = {0};
  const char *before = "; not patched: ";
  for (size_t i = 0; i < patch->function_count; i++)
    counts[patch->functions[i].skip]++;
  fprintf(stream, "%zu function%s patched", patch->done,
          patch->done == 1 ? "" : "s");
  for (size_t i = PATCH_ALIAS + 1; i < PATCH_SKIPS; i++)
    if (counts[i]) {
      fprintf(stream, "%s%zu %s", before, counts[i], patch_skip_text[i]);
      before = "; ";
    }
  putc('\n', stream);
}

/* ---- the link unit ---- */

static void append_hex(struct buffer *name, char before, struct bytes bytes) {
  char text[4];
  need_append(name, &before, 1);
  for (size_t i = 0; i < bytes.size; i++) {
    snprintf(text, sizeof text, "%02x", bytes.data[i]);
    need_append(name, text, 2);
  }
}

static void append_functions_md5(struct buffer *name,
                                 const struct elf_patch *patch) {
  struct buffer names = {.limit = UNIT_MOST};
  unsigned char digest[16];
  for (size_t i = 0; i < patch->function_count; i++) {
    const char *text = patch->functions[i].name;
    if (!patch->functions[i].skip)
      need_append(&names, text, strlen(text) + 1);
  }
  md5(digest, names.data, names.size);
  append_hex(name, '+', (struct bytes){digest, sizeof digest});
  buffer_free(&names);
}

void patch_set_unit_hash(struct elf_patch *patch, const char *output,
                         const struct patch_choice *choice) {
  const char *base = os_base_name(output);
  struct buffer name = {.limit = UNIT_MOST};
  struct bytes id;
  need_append(&name, base, strlen(base));
  if (elf_find_build_id(&patch->elf, &id))
    append_hex(&name, '@', id);
  if (choice->part_count || choice->name_count)
    append_functions_md5(&name, patch);
  need_append(&name, "", 1);
  patch->hash = mip_module_hash((const char *)name.data);
  buffer_free(&name);
}
