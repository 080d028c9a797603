/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: images for Cortex-M, which a vector table tells: its first word is
 * the stack's address, a multiple of 4, the second that of the reset handler,
 * with bit 0 set.
 */
#include <inttypes.h>
#include <string.h>

#include "examine.h"

enum { EM_ARM = 40, FUNCTION = 2, NEAR = 1 << 24 };

/* Of the tables of vendors' start-up code. */
static bool is_table(const char *name) {
  static const char *const names[] = {
      ".isr_vector", ".isr_vectors",   ".vectors",     ".vector_table",
      ".intvecs",    ".vector",        "g_pfnVectors", "__isr_vector",
      "__Vectors",   "__vector_table", "_vectors",     "vector_table"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

static bool is_code(const struct elf *elf, uint64_t address) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.flags & ELF_ALLOC && section.flags & ELF_EXECUTE &&
        address - section.address < section.size)
      return true;
  }
  return false;
}

static bool has_vectors(const struct elf *elf, uint64_t address) {
  const unsigned char *at = elf_at(elf, address, 8);
  if (!at || address & 3)
    return false;
  uint32_t stack = load32(at, elf->big), reset = load32(at + 4, elf->big);
  return stack && !(stack & 3) && reset & 1 && is_code(elf, reset - 1);
}

bool find_vectors(const struct elf *elf, uint64_t *address) {
  if (elf->machine != EM_ARM)
    return false;
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    *address = section.address;
    if (is_table(section.name) && has_vectors(elf, *address))
      return true;
  }
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    *address = symbol.value;
    if (symbol.section && is_table(symbol.name) && has_vectors(elf, *address))
      return true;
  }
  for (uint64_t i = 0; i < elf->segment_count; i++) {
    struct elf_segment segment = elf_segment(elf, i);
    *address = segment.address;
    if (segment.type == ELF_PT_LOAD && has_vectors(elf, *address))
      return true;
  }
  return false;
}

/* What is loaded before the table in the same memory, by its section's name;
 * NULL: nothing. */
static const char *before(const struct elf *elf, uint64_t table) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (is_loaded(&section) && section.address < table &&
        table - section.address < NEAR)
      return section.name;
  }
  return NULL;
}

/* A function of A32 code has an even address, and a mapping symbol. */
static const char *arm_function(const struct elf *elf) {
  bool marked = false;
  for (uint64_t i = 0; i < elf->symbol_count && !marked; i++)
    marked = strncmp(elf_symbol(elf, i).name, "$a", 2) == 0;
  for (uint64_t i = 0; i < elf->symbol_count && marked; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.type == FUNCTION && symbol.section && symbol.size &&
        !(symbol.value & 1) && is_code(elf, symbol.value))
      return symbol.name;
  }
  return NULL;
}

void check_cortex_m(const struct facts *facts, struct findings *to) {
  const struct elf *elf = facts->elf;
  uint64_t table;
  if (!find_vectors(elf, &table))
    return;
  const char *name = arm_function(elf);
  if (name)
    findings_add(
        to, ERROR, ARM_STATE,
        "%.40s and the like are in ARM state, on which a Cortex-M hangs; "
        "compile all for its architecture",
        name);
  name = findings_have(to, BUILD_ID_FIRST) ? NULL : before(elf, table);
  if (name)
    findings_add(to, WARNING, VECTORS,
                 "the vectors are at 0x%" PRIx64 ", behind section %.40s: if "
                 "no boot loader is there, a board does not start; place them "
                 "first",
                 table, name);
}
