/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file collects the facts about an image, first from the sections, then
 * from the symbols, then from the records. checks.c and the other files with
 * check_... functions use the facts.
 */
#include "image_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/need.h"
#include "../base/text_part.h"
#include "../image/trace_counts.h"
#include "../image/image.h"
#include "../object/digest.h"

const char *const section_names[SECTIONS] = {
    "__llvm_prf_data", "__llvm_prf_cnts", "__llvm_prf_bits", "__llvm_prf_names",
    "__llvm_prf_vtab", "__llvm_prf_vns",  "__llvm_prf_vals", "__llvm_prf_vnds",
    "__llvm_covmap",   "__llvm_covfun",   "__llvm_covdata",  "__llvm_covnames"};

const char *const symbol_names[SYMBOLS] = {
#define NAME(identifier, name) name,
    SYMBOLS_KNOWN(NAME)
#undef NAME
};

static const char packed_name[] = "__llvm_prf_cnt4";

enum { CONTENTS_LIMIT = 1 << 28, STT_FILE = 4 };

/* ---- sections ---- */

static void collect_sections(struct image_info *facts) {
  for (uint64_t i = 0; i < facts->elf->section_count; i++) {
    struct elf_section section = elf_section(facts->elf, i);
    if (strncmp(section.name, "__llvm_", 7) != 0)
      continue;
    if (section.size && strcmp(section.name, packed_name) == 0)
      facts->packed = section;
    for (unsigned kind = 0; kind < WIDTH_KINDS; kind++)
      if (section.size && strcmp(section.name, placed_records[kind]) == 0) {
        if (facts->sections[COVDATA].size)
          facts->repeated_sections |= 1u << COVDATA;
        facts->sections[COVDATA] = section;
        facts->four_byte_counters |= kind == WIDTH_4;
      }
    for (unsigned id = 0; id < SECTIONS; id++) {
      if (id == COVDATA || !section.size ||
          strcmp(section.name, section_names[id]) != 0)
        continue;
      if (facts->sections[id].size)
        facts->repeated_sections |= 1u << id;
      else
        facts->sections[id] = section;
    }
  }
}

unsigned counter_size(const struct image_info *facts) {
  return facts->byte_counters                              ? 1
         : facts->packed.size || facts->four_byte_counters ? 4
                                                           : 8;
}

static void collect_mip_and_probe_sections(struct image_info *facts) {
  struct mip_and_probe_sections *others = &facts->others;
  elf_find_section(facts->elf, "__llvm_mipraw", &others->raw);
  elf_find_section(facts->elf, "__llvm_mipmap", &others->map);
  elf_find_section(facts->elf, "__patchable_function_entries",
                   &others->entries);
  elf_find_section(facts->elf, ".pseudo_probe", &others->probes);
}

bool image_info_has_mip(const struct image_info *facts) {
  const struct mip_and_probe_sections *others = &facts->others;
  return others->raw.size || others->map.size ||
         facts->symbols[MIP_INIT].defined;
}

bool image_info_has_samples(const struct image_info *facts) {
  return facts->others.probes.size || facts->symbols[SAMPLER_TAKE].defined ||
         facts->symbols[SAMPLER_ENTRY].defined ||
         facts->symbols[SAMPLER_START].defined;
}

bool image_info_has_rtos(const struct image_info *facts) {
  const struct known_symbol *symbols = facts->symbols;
  return symbols[RTOS_FREERTOS].defined || symbols[RTOS_ZEPHYR].defined ||
         symbols[RTOS_THREADX].defined;
}

bool find_section_at_address(const struct elf *elf, uint64_t address,
                             uint64_t flags, struct elf_section *section) {
  flags |= ELF_ALLOC;
  for (uint64_t i = 0; i < elf->section_count; i++) {
    *section = elf_section(elf, i);
    if ((section->flags & flags) == flags &&
        address - section->address < section->size)
      return true;
  }
  return false;
}

bool is_loaded(const struct elf_section *section) {
  return section->size && section->flags & ELF_ALLOC && section->bytes;
}

/* ---- symbols ---- */

static void set_known_symbol(struct known_symbol *known,
                             const struct elf_symbol *symbol) {
  bool global = symbol->binding != 0;
  if (!symbol->section || (known->defined && (known->global || !global)))
    return;
  *known = (struct known_symbol){true, global, symbol->value, symbol->size};
}

static void collect_section_bound(struct image_info *facts,
                                  const struct elf_symbol *symbol) {
  bool start = strncmp(symbol->name, "__start_", 8) == 0;
  const char *section = symbol->name + (start ? 8 : 7);
  for (unsigned id = 0; id < BOUNDED; id++)
    if (strcmp(section, section_names[id]) == 0)
      set_known_symbol(
          start ? &facts->bounds[id].start : &facts->bounds[id].stop, symbol);
}

/* Returns whether an undefined symbol is one to which only instrumented code
 * and the runtime refer. Weak symbols may be undefined. So may
 * __llvm_profile_runtime, which is never used, and bareprof_counters_loose,
 * which linker scripts mention. A hidden undefined symbol was weak, because
 * linkers reject any other; GNU strip made it global. */
static bool is_undefined_runtime_symbol(const struct elf_symbol *symbol) {
  return !symbol->section && symbol->binding == 1 && !symbol->visibility &&
         !text_is_listed(symbol->name,
                         "__llvm_profile_runtime bareprof_counters_loose") &&
         text_starts_with_any(symbol->name,
                              "__atomic_ __sync_ __llvm_profile_ bareprof_ "
                              "__emutls_get_address __aeabi_read_tp");
}

/* Stores the name of a wrong section that contains counters. The symbols of the
 * counters show it. */
static void note_wrong_counter_section(struct image_info *facts,
                                       const struct elf_symbol *symbol) {
  const char *name = symbol->name;
  if (strncmp(name, ".L", 2) == 0)
    name += 2;
  if (strncmp(name, "__profc_", 8) != 0 || !symbol->size || !symbol->section ||
      symbol->section >= facts->elf->section_count)
    return;
  struct elf_section section = elf_section(facts->elf, symbol->section);
  if (strcmp(section.name, packed_name) != 0 &&
      strcmp(section.name, section_names[CNTS]) != 0)
    facts->wrong_section = section.name;
}

static void collect_symbols(struct image_info *facts) {
  for (uint64_t i = 0; i < facts->elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(facts->elf, i);
    facts->lto |=
        symbol.type == STT_FILE && strcmp(symbol.name, "ld-temp.o") == 0;
    if (strncmp(symbol.name, "__start_", 8) == 0 ||
        strncmp(symbol.name, "__stop_", 7) == 0)
      collect_section_bound(facts, &symbol);
    for (unsigned id = 0; id < SYMBOLS; id++)
      if (strcmp(symbol.name, symbol_names[id]) == 0)
        set_known_symbol(&facts->symbols[id], &symbol);
    if (is_undefined_runtime_symbol(&symbol))
      facts->undefined = symbol.name;
    note_wrong_counter_section(facts, &symbol);
  }
  const struct known_symbol *known = facts->symbols;
  if (known[RUNNING].defined || known[INIT].defined)
    facts->runtime = BAREPROF;
  else if (known[LPROF_DATA].defined || known[LPROF_WRITER].defined ||
           known[LPROF_DUMPED].defined)
    facts->runtime = COMPILER_RT;
}

/* Returns whose hooks are linked. bareprof's hooks are linked together with
 * bareprof's slots, compiler-rt's hooks with a variable of compiler-rt. */
static enum value_hooks classify_value_hooks(const struct image_info *facts) {
  enum { NOTHING = 16 }; /* a function with at most this size does nothing */
  const struct known_symbol *symbols = facts->symbols;
  if (!symbols[HOOK_TARGET].defined && !symbols[HOOK_MEMOP].defined)
    return NO_HOOKS;
  /* Without slots, bareprof's hooks link only bareprof_values_clear. */
  if ((symbols[VALUES].defined || symbols[VALUES_CLEAR].defined) &&
      !symbols[LPROF_VALUES].defined)
    return OUR_HOOKS;
  return symbols[HOOK_TARGET].size <= NOTHING &&
                 symbols[HOOK_MEMOP].size <= NOTHING
             ? STUB_HOOKS
             : OTHER_HOOKS;
}

/* ---- addresses ---- */

uint64_t section_load_address(const struct image_info *facts,
                              const struct elf_section *section) {
  for (uint64_t i = 0; i < facts->elf->segment_count; i++) {
    struct elf_segment segment = elf_segment(facts->elf, i);
    uint64_t offset = section->address - segment.address;
    if (segment.type == ELF_PT_LOAD && offset < segment.memory_size)
      return segment.physical + offset;
  }
  return section->address;
}

uint64_t distance_to_section(const struct elf_section *section,
                             uint64_t address) {
  if (address < section->address)
    return section->address - address;
  uint64_t offset = address - section->address;
  return offset < section->size ? 0 : offset - section->size;
}

/* A section that start-up code copies, such as code for RAM, is in writable
 * memory, whatever its flags say. */
uint64_t distance_to_nearest_section(const struct image_info *facts,
                                     bool writable, uint64_t address) {
  uint64_t least = UINT64_MAX;
  for (uint64_t i = 0; i < facts->elf->section_count; i++) {
    struct elf_section section = elf_section(facts->elf, i);
    uint64_t away = distance_to_section(&section, address);
    if (!(section.flags & ELF_ALLOC) || section.flags & ELF_TLS ||
        !section.size || away >= least ||
        strncmp(section.name, "__llvm_", 7) == 0 ||
        strcmp(section.name, ".bareprof_guard") == 0)
      continue;
    bool in_ram = section.flags & ELF_WRITE ||
                  section_load_address(facts, &section) != section.address;
    if (in_ram == writable)
      least = away;
  }
  return least;
}

/* ---- records ---- */

/* Searches for a name that LLVM uses when debug information describes counters
 * instead of records. */
static bool has_debug_records(const struct elf *elf) {
  static const char word[] = "CFG Hash";
  struct elf_section section;
  struct bytes text;
  unsigned char *memory = NULL;
  bool found = false;
  if (elf_find_section(elf, ".debug_str", &section) &&
      !elf_read_contents(elf, &section, CONTENTS_LIMIT, &text, &memory))
    for (size_t i = 0; !found && i + sizeof word <= text.size; i++)
      found = memcmp(text.data + i, word, sizeof word) == 0;
  free(memory);
  return found;
}

static enum image_kind classify_image(const struct image_info *facts) {
  const struct elf_section *sections = facts->sections;
  if (sections[DATA].size)
    return sections[DATA].flags & ELF_ALLOC ? FULL : LEAN;
  if (sections[COVDATA].size)
    return CORRELATED;
  if (!sections[CNTS].size)
    return BARE;
  return has_debug_records(facts->elf) ? DEBUG_ONLY : LOST;
}

ORDER_BY(by_value, uint64_t, *x);

/* Lists the MD5s of the names of instrumented functions, in ascending order.
 * The names of static functions are used without the file's name. */
static uint64_t *list_name_hashes(const struct image_functions *functions) {
  uint64_t *names = need_memory(calloc(functions->count + 1, sizeof *names));
  for (size_t i = 0; i < functions->count; i++) {
    const char *name = functions->list[i].name;
    const char *own = name ? strpbrk(name, ":;") : NULL;
    names[i] = own    ? md5_low64(own + 1, strlen(own + 1))
               : name ? md5_low64(name, strlen(name))
                      : 0;
  }
  qsort(names, functions->count, sizeof *names, by_value);
  return names;
}

/* Lists the MD5s of the names of all functions that have code. */
static void list_defined_function_hashes(struct image_info *facts) {
  const struct elf *elf = facts->elf;
  uint64_t *list =
      need_memory(calloc((size_t)elf->symbol_count + 1, sizeof *list));
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.type == ELF_FUNCTION && symbol.section)
      list[facts->defined_count++] =
          md5_low64(symbol.name, strlen(symbol.name));
  }
  qsort(list, facts->defined_count, sizeof *list, by_value);
  facts->defined_hashes = list;
}

bool is_unique_function_name(const struct image_info *facts, const char *name) {
  const uint64_t number = md5_low64(name, strlen(name));
  const uint64_t *list = facts->defined_hashes;
  const uint64_t *end = list + facts->defined_count;
  const uint64_t *at = bsearch(&number, list, facts->defined_count,
                               sizeof number, by_value);
  bool several = at && ((at > list && at[-1] == number) ||
                        (at + 1 < end && at[1] == number));
  return at && !several;
}

bool is_instrumented_name(const struct image_info *facts, const char *name) {
  uint64_t number = md5_low64(name, strlen(name));
  return facts->name_hashes &&
         bsearch(&number, facts->name_hashes, facts->functions.count,
                 sizeof number, by_value);
}

static enum section_id records_section_id(const struct image_info *facts) {
  return facts->kind == CORRELATED || facts->kind == PLACED ? COVDATA : DATA;
}

/* Counts the value sites in all records. Stores the size of a record. */
static void count_value_sites(struct image_info *facts) {
  const struct record_format form =
      record_format_of(facts->version, facts->elf->wide, facts->elf->big);
  const struct elf_section *section =
      &facts->sections[records_section_id(facts)];
  struct bytes records;
  unsigned char *memory = NULL;
  if (form.layout && !elf_read_contents(facts->elf, section, CONTENTS_LIMIT,
                                        &records, &memory)) {
    size_t size = facts->record_size = form.layout->record_size;
    for (size_t at = 0; records.size - at >= size; at += size) {
      struct record record;
      record_read(&form, records.data + at, 0, &record);
      for (unsigned kind = 0; kind < RECORD_KINDS; kind++)
        facts->sites += record.sites[kind];
    }
  }
  free(memory);
}

/* The MD5s of the names of all functions that have a record, ascending. */
struct record_name_hashes {
  uint64_t *list;
  size_t count;
};

static bool has_record(const void *context, uint64_t name) {
  const struct record_name_hashes *records = context;
  return bsearch(&name, records->list, records->count, sizeof name, by_value);
}

static void set_dropped_count(struct image_info *facts) {
  struct buffer list = {.limit = CONTENTS_LIMIT};
  struct record_name_hashes records = {
      need_memory(calloc(facts->functions.count + 1, sizeof(uint64_t))),
      facts->functions.count};
  for (size_t i = 0; i < records.count; i++)
    records.list[i] = facts->functions.list[i].name_ref;
  sort_array(records.list, records.count, sizeof *records.list, by_value);
  if (records.count &&
      !functions_read_dropped(facts->elf, has_record, &records, &list))
    facts->dropped = list.size / sizeof(struct dropped_function);
  buffer_free(&list);
  free(records.list);
}

static void collect_records(struct image_info *facts) {
  facts->version_error =
      raw_version_collect_evidence(facts->elf, 0, &facts->version_evidence);
  facts->byte_counters =
      (facts->version_evidence.symbol & BAREPROF_BYTE_COVERAGE) != 0;
  if (!facts->version_error)
    facts->version_error =
        raw_version_choose(&facts->version_evidence, 0, 0, &facts->version);
  if (facts->version_error) {
    facts->version = 0;
    return;
  }
  facts->functions_error =
      functions_read(&facts->functions, facts->elf, facts->version);
  facts->name_hashes = list_name_hashes(&facts->functions);
  list_defined_function_hashes(facts);
  set_dropped_count(facts);
  count_value_sites(facts);
}

static void check_and_count_trace_points(struct image_info *facts) {
  struct linked_trace_points labels;
  facts->trace_points_error = linked_points_read(&labels, facts->elf, NULL);
  facts->trace_point_count = labels.count;
  linked_points_free(&labels);
}

/* Accepts records that are correct although the section of counters is missing.
 * Otherwise the linker script has renamed or discarded the section, or
 * --place=bss has moved the counters, and the records contradict each other. */
static void accept_counters_without_section(struct image_info *facts) {
  struct elf_section *counters = &facts->sections[CNTS];
  struct elf_section *bitmaps = &facts->sections[BITS];
  bool labels = linked_points_present(facts->elf);
  if (labels)
    check_and_count_trace_points(facts);
  const char *error =
      facts->version_error ? facts->version_error : facts->functions_error;
  if (!error && !facts->trace_points_error)
    error = image_list_count_ranges(facts->elf, facts->version, &facts->ranges);
  if (error && !facts->trace_points_error) {
    facts->placed_error = facts->widths.placed.objects ? error : NULL;
    return;
  }
  facts->has_trace_points = labels;
  facts->kind = PLACED;
  facts->wrong_section = NULL;
  *counters = (struct elf_section){.name = "", .flags = ELF_ALLOC};
  *bitmaps = *counters;
  for (size_t i = 0; i < facts->ranges.count && !facts->has_trace_points; i++) {
    const struct image_range *range = &facts->ranges.list[i];
    (range->piece == BAREPROF_PIECE_COUNTERS ? counters : bitmaps)->size +=
        range->size;
  }
}

void image_info_collect(struct image_info *facts, const struct elf *elf) {
  *facts = (struct image_info){.elf = elf};
  if (elf->type == ELF_REL || elf->type == ELF_CORE)
    return;
  collect_sections(facts);
  collect_mip_and_probe_sections(facts);
  collect_symbols(facts);
  if (!facts->sections[CNTS].size)
    facts->sections[CNTS] = facts->packed;
  facts->hooks = classify_value_hooks(facts);
  slots_find_storage(elf, &facts->storage);
  counter_width_read(&facts->widths, elf);
  facts->kind = classify_image(facts);
  bool counted = facts->sections[CNTS].size != 0;
  if ((counted || facts->kind == CORRELATED) &&
      facts->sections[records_section_id(facts)].bytes)
    collect_records(facts);
  if (!counted && facts->kind == CORRELATED)
    accept_counters_without_section(facts);
}

void image_info_free(struct image_info *facts) {
  functions_free(&facts->functions);
  free(facts->name_hashes);
  free(facts->defined_hashes);
  free(facts->ranges.list);
}

const char *format_raw_versions(char text[32], uint32_t set) {
  size_t used = 0;
  text[0] = 0;
  for (unsigned raw = 0; raw < 32 && used < 24; raw++)
    if (set >> raw & 1)
      used += (size_t)snprintf(text + used, 32 - used, "%s%u",
                               used ? " or " : "", raw);
  return text;
}
