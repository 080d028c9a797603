/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Chooses the sections and symbols that `bareprof extract` keeps. The flags and
 * addresses of sections stay unchanged, because readers use these to tell
 * records in ROM from records that are only in the ELF. Sections in the
 * target's RAM become NOBITS.
 */
#include "elf_subset.h"

#include <stdlib.h>
#include <string.h>

#include "../base/text_part.h"
#include "../image/trace_counts.h"
#include "../image/snapshot.h"
#include "../image/raw_version.h"

enum {
  SHT_PROGBITS = 1,
  SHN_ABS = 0xFFF1,
  /* The section flags that require a link, an info or a group. */
  SHF_TIES = 0x40 | 0x80 | 0x200
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char crowded[] = "the ELF has more profile sections or bounds "
                              "than linkers create; link the ELF again";

/* ---- sections ---- */

/* The sections in the target's RAM. The host needs their addresses, but not
 * their contents. */
static const char *const memories[] = {"__llvm_prf_cnts", "__llvm_prf_cnt4",
                                       "__llvm_prf_bits", ".bareprof_guard",
                                       LABELS_COUNTS,     NULL};

/* The sections that are kept with their contents. */
static const char *const contents[] = {"__llvm_prf_data",
                                       "__llvm_prf_names",
                                       "__llvm_prf_vtab",
                                       "__llvm_prf_vns",
                                       "__llvm_covnames",
                                       "__llvm_covmap",
                                       "__llvm_covfun",
                                       ".bareprof.counters",
                                       ".bareprof.version",
                                       ".comment",
                                       LABELS_SECTION,
                                       LABELS_BODIES,
                                       NULL};

static const char build_id[] = ".note.gnu.build-id";

static bool is_one_of(const char *name, const char *const *list) {
  while (*list && strcmp(name, *list))
    list++;
  return *list;
}

const struct elf_section *elf_subset_find_section(const struct elf_subset *keep,
                                                  const char *name) {
  for (size_t i = 0; i < keep->section_count; i++)
    if (!strcmp(keep->sections[i].name, name))
      return &keep->sections[i];
  return NULL;
}

static const char *keep_section(struct elf_subset *keep,
                                const struct elf_section *section,
                                uint64_t origin) {
  if (keep->section_count == COUNT(keep->sections))
    return crowded;
  struct elf_section *to = &keep->sections[keep->section_count];
  *to = *section;
  to->flags &= ~(uint64_t)SHF_TIES;
  keep->origins[keep->section_count++] = origin;
  return NULL;
}

/* Finds the ranges of the counters if only the records tell them. The counters'
 * sections may then have any name. */
static void set_counter_ranges(struct elf_subset *keep, const struct elf *elf) {
  struct raw_version_evidence witnesses;
  uint64_t version;
  keep->ranges = (struct image_ranges){.count = 0};
  if (linked_points_present(elf)) /* the counters are not in memory */
    return;
  if (!raw_version_collect_evidence(elf, 0, &witnesses) &&
      !raw_version_choose(&witnesses, 0, 0, &version) &&
      image_list_count_ranges(elf, version, &keep->ranges))
    keep->ranges.count = 0;
}

static bool section_has_counters(const struct elf_subset *keep,
                                 const struct elf_section *section) {
  for (size_t i = 0; i < keep->ranges.count && section->flags & ELF_ALLOC; i++)
    if (keep->ranges.list[i].address >= section->address &&
        keep->ranges.list[i].address - section->address < section->size)
      return true;
  return false;
}

/* Returns whether the section is wanted. If the type of a section does not fit
 * its name, the section is damaged or has the name by chance. */
static bool is_extracted_section(const struct elf_section *section) {
  switch (section->type) {
  case SHT_PROGBITS:
  case ELF_SHT_NOBITS:
    return is_one_of(section->name, contents) ||
           is_one_of(section->name, placed_records) ||
           is_one_of(section->name, memories);
  case ELF_SHT_NOTE:
    return !strcmp(section->name, build_id);
  default:
    return false;
  }
}

/* Keeps the wanted sections. Skips empty sections, because llvm-cov 19 fails on
 * an empty __llvm_prf_names. Sections of a linked image do not overlap, so
 * together they are not larger than the file. */
static const char *keep_sections(struct elf_subset *keep,
                                 const struct elf *elf) {
  const char *error = NULL;
  uint64_t size = 0;
  for (uint64_t i = 0; !error && i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    bool counters = section_has_counters(keep, &section);
    if (!section.size || (!is_extracted_section(&section) && !counters))
      continue;
    if (counters || is_one_of(section.name, memories)) {
      section.type = ELF_SHT_NOBITS;
      section.bytes = NULL;
    }
    size += section.bytes ? section.size : 0;
    error = size > elf->file.size ? crowded : keep_section(keep, &section, i);
  }
  return error;
}

/* Keeps the build id. If it is among other notes, or only in a segment, it gets
 * a section of its own. The 16-byte header of the note comes before the id. */
static const char *keep_build_id(struct elf_subset *keep,
                                 const struct elf *elf) {
  struct bytes id;
  if (elf_subset_find_section(keep, build_id) || !elf_find_build_id(elf, &id))
    return NULL;
  const struct elf_section section = {.name = build_id,
                                      .type = ELF_SHT_NOTE,
                                      .flags = ELF_ALLOC,
                                      .size = 16 + id.size,
                                      .align = 4,
                                      .bytes = id.data - 16};
  return keep_section(keep, &section, 0);
}

/* If the linker script drops .comment, keeps .debug_str, which contains the
 * compiler's name. */
static const char *keep_debug_strings(struct elf_subset *keep,
                                      const struct elf *elf) {
  struct elf_section section;
  if (elf_subset_find_section(keep, ".comment") ||
      !elf_find_section(elf, ".debug_str", &section) ||
      section.type != SHT_PROGBITS)
    return NULL;
  return keep_section(keep, &section, 0);
}

/* ---- symbols ---- */

static bool is_section_bound_symbol(const char *name) {
  return text_starts_with_any(name,
                              "__start___llvm_ __stop___llvm_ __bareprof_");
}

static const char *keep_symbol(struct elf_subset *keep,
                               const struct elf_symbol *symbol) {
  if (keep->symbol_count == COUNT(keep->symbols))
    return crowded;
  keep->symbols[keep->symbol_count++] = *symbol;
  return NULL;
}

static uint16_t new_section_index(const struct elf_subset *keep,
                                  uint64_t origin) {
  for (size_t i = 0; i < keep->section_count; i++)
    if (keep->origins[i] == origin)
      return (uint16_t)(i + 1);
  return SHN_ABS;
}

static const char *keep_section_bound_symbols(struct elf_subset *keep,
                                              const struct elf *elf) {
  const char *error = NULL;
  for (uint64_t i = 0; !error && i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (!symbol.section || !is_section_bound_symbol(symbol.name))
      continue;
    symbol.section = new_section_index(keep, symbol.section);
    error = keep_symbol(keep, &symbol);
  }
  return error;
}

/* Keeps a constant and its symbol, whichever section contains it. Sets *lost if
 * the constant has a symbol but no contents. */
static const char *keep_constant(struct elf_subset *keep, const struct elf *elf,
                                 struct elf_symbol symbol, const char *section,
                                 bool *lost) {
  if (!elf_find_symbol(elf, symbol.name, &symbol.value))
    return NULL;
  const unsigned char *bytes = elf_bytes_at(elf, symbol.value, symbol.size);
  *lost = !bytes;
  if (!bytes)
    return NULL;
  const struct elf_section to = {.name = section,
                                 .type = SHT_PROGBITS,
                                 .flags = ELF_ALLOC,
                                 .address = symbol.value,
                                 .size = symbol.size,
                                 .align = 1,
                                 .bytes = bytes};
  const char *error = keep_section(keep, &to, 0);
  symbol.section = (uint16_t)keep->section_count;
  return error ? error : keep_symbol(keep, &symbol);
}

/* Keeps the version word, and the description of value slots. */
static const char *keep_version_and_values(struct elf_subset *keep,
                                           const struct elf *elf) {
  struct elf_symbol symbol = {
      .name = "__llvm_profile_raw_version", .size = 8, .binding = 1, .type = 1};
  struct slot_storage storage;
  bool lost;
  const char *error =
      keep_constant(keep, elf, symbol, ".rodata.__llvm_profile_raw_version",
                    &keep->word_lost);
  if (error || !slots_find_storage(elf, &storage) || !storage.count)
    return error;
  symbol.name = "bareprof_values";
  symbol.size = slots_symbol_size(elf);
  return keep_constant(keep, elf, symbol, ".rodata.bareprof_values", &lost);
}

const char *elf_subset_collect(struct elf_subset *keep, const struct elf *elf) {
  *keep = (struct elf_subset){.section_count = 0};
  set_counter_ranges(keep, elf);
  const char *error = keep_sections(keep, elf);
  if (!error)
    error = keep_build_id(keep, elf);
  if (!error)
    error = keep_debug_strings(keep, elf);
  if (!error)
    error = keep_section_bound_symbols(keep, elf);
  if (!error)
    error = keep_version_and_values(keep, elf);
  free(keep->ranges.list);
  keep->ranges.list = NULL;
  return error;
}
