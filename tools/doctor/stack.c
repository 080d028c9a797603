/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks: whether a dump's stack fits between where the stack begins and what
 * is below it. Counters take RAM that was the stack's before. What is not
 * known makes the room larger: a heap, sinks, who calls.
 */
#include <inttypes.h>
#include <string.h>

#include "examine.h"

/* Of one RAM, at most; of the least stack of a dump, on any 32-bit machine:
 * README has a table. */
enum { NEAR = 1 << 24, LEAST_WRITE = 296, LEAST_SEND = 264, OBJECT = 1 };

/* Where start-up code lets the stack begin: the vectors say it, or else a
 * symbol as scripts have it, if they agree. */
static bool find_stack(const struct facts *facts, uint64_t *stack) {
  static const enum symbol_id names[] = {STACK_1, STACK_2, STACK_3,
                                         STACK_4, STACK_5, STACK_6};
  const struct elf *elf = facts->elf;
  uint64_t table;
  *stack = 0;
  if (find_vectors(elf, &table)) {
    *stack = load32(elf_at(elf, table, 8), elf->big);
    return true;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const struct symbol *symbol = &facts->symbols[names[i]];
    if (symbol->defined && *stack && symbol->value != *stack)
      return false;
    if (symbol->defined)
      *stack = symbol->value;
  }
  return *stack != 0;
}

static void raise_to(uint64_t *floor, uint64_t address, uint64_t stack) {
  if (address <= stack && stack - address < NEAR && address > *floor)
    *floor = address;
}

/* Sections with contents, unless the stack is all of it, and those of the
 * profile are taken whole. */
static bool is_whole(const struct elf_section *section, uint64_t stack) {
  return section->flags & ELF_WRITE &&
         ((section->bytes && section->address + section->size != stack) ||
          strncmp(section->name, "__llvm_", 7) == 0);
}

/* Of others only objects count, since scripts reserve heap and stack by
 * sections without any. An object that the stack ends in is the stack. */
static uint64_t find_floor(const struct facts *facts, uint64_t stack) {
  const struct elf *elf = facts->elf;
  uint64_t floor = 0;
  if (facts->symbols[PROFILE_END].defined)
    raise_to(&floor, facts->symbols[PROFILE_END].value, stack);
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.flags & ELF_ALLOC && !(section.flags & ELF_TLS) &&
        is_whole(&section, stack) && section.size < NEAR)
      raise_to(&floor, section.address + section.size, stack);
  }
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.type != OBJECT || !symbol.section || !symbol.size ||
        symbol.section >= elf->section_count || symbol.size >= NEAR)
      continue;
    struct elf_section section = elf_section(elf, symbol.section);
    if (!(section.flags & ELF_WRITE) || section.flags & ELF_TLS)
      continue;
    bool is_stack = stack > symbol.value && stack - symbol.value <= symbol.size;
    raise_to(&floor, symbol.value + (is_stack ? 0 : symbol.size), stack);
  }
  return floor;
}

void check_stack(const struct facts *facts, struct findings *to) {
  const struct symbol *symbols = facts->symbols;
  uint64_t need = symbols[SEND_AS].defined || symbols[SEND_LEAN].defined ||
                          symbols[SERVE].defined
                      ? LEAST_SEND
                  : symbols[WRITE_IMAGE].defined ? LEAST_WRITE
                                                 : 0;
  uint64_t stack;
  if (!need || has_tasks(facts) || !find_stack(facts, &stack))
    return;
  uint64_t floor = find_floor(facts, stack);
  if (floor && stack - floor < need)
    findings_add(to, WARNING, STACK_SMALL,
                 "%" PRIu64 " bytes are left below the stack at 0x%" PRIx64
                 ", and a dump takes %" PRIu64 " or more; leave it more RAM",
                 stack - floor, stack, need);
}
