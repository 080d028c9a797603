/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks of images whose counters the vendor's script has placed
 * (`bareprof cc --place=bss`): does start-up code clear them?
 */
#include <inttypes.h>
#include <string.h>

#include "findings.h"

/* Vendors' names of what start-up code clears. Others are not known, and then
 * nothing is said. */
static const char *const cleared_by[][2] = {
    {"__bss_start__", "__bss_end__"}, {"__bss_start", "__bss_end"},
    {"__bss_start", "__bss_end__"},   {"_sbss", "_ebss"},
    {"_bss_start", "_bss_end"},       {"_bss", "_ebss"},
    {"bss_start", "bss_end"},         {"__START_BSS", "__END_BSS"},
    {"__bss_base__", "__bss_end__"},  {"__sbss", "__ebss"},
    {"__bss_start", "_end"},          {"__bss_start__", "_end"}};

enum { PAIRS = sizeof cleared_by / sizeof *cleared_by };

struct cleared {
  struct {
    uint64_t begin, end;
  } list[PAIRS];
  size_t count;
};

static void find_cleared(const struct elf *elf, struct cleared *cleared) {
  cleared->count = 0;
  for (size_t i = 0; i < PAIRS; i++) {
    uint64_t begin, end;
    if (!elf_find_symbol(elf, cleared_by[i][0], &begin) ||
        !elf_find_symbol(elf, cleared_by[i][1], &end) || begin >= end)
      continue;
    cleared->list[cleared->count].begin = begin;
    cleared->list[cleared->count++].end = end;
  }
}

static bool is_cleared(const struct cleared *cleared,
                       const struct image_range *range) {
  for (size_t i = 0; i < cleared->count; i++)
    if (range->address >= cleared->list[i].begin &&
        range->address + range->size <= cleared->list[i].end)
      return true;
  return false;
}

/* The section of a range; NULL: the start-up code copies its contents. */
static const char *section_of(const struct elf *elf,
                              const struct image_range *range) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.flags & ELF_ALLOC && range->address >= section.address &&
        range->address - section.address < section.size)
      return section.type == ELF_SHT_NOBITS ? section.name : NULL;
  }
  return NULL;
}

void check_placed(const struct facts *facts, struct findings *to) {
  struct cleared cleared;
  find_cleared(facts->elf, &cleared);
  for (size_t i = 0; i < facts->ranges.count; i++) {
    const struct image_range *range = &facts->ranges.list[i];
    const char *name = section_of(facts->elf, range);
    if (!name || is_cleared(&cleared, range))
      continue;
    if (strncmp(name, ".bss.bareprof_", 14) == 0)
      findings_add(to, cleared.count ? ERROR : WARNING, PLACED_ORPHAN,
                   "no pattern of the linker script takes %.20s, so start-up "
                   "code may not clear it; add *(.bss.*) behind *(.bss)",
                   name);
    else if (cleared.count)
      findings_add(to, ERROR, PLACED_NOT_CLEARED,
                   "counters at 0x%" PRIx64 ", in %.40s, are outside what "
                   "start-up code clears; put *(.bss.bareprof_*) where .bss is",
                   range->address, name);
  }
}
