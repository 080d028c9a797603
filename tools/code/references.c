/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file finds references to addresses. Code makes an address from two
 * numbers: with movw and movt, lui and addi, or adrp and add. Other
 * instructions may be between the two, so the search keeps the last values of
 * each register. All sums have 32 bits. For both reasons, the search may find
 * too many references, but never too few.
 */
#include "code.h"

#include <string.h>

enum {
  REGISTERS = 32,
  KEPT = 4,
  REACH = 1 << 15 /* largest offset that is added to a base */
};

/* The state of a search. */
struct reference_scan {
  const struct elf *elf;
  struct elf_code code;
  uint32_t first, span;
  uint32_t bases[REGISTERS][KEPT];
  uint64_t based[REGISTERS][KEPT]; /* addresses where each base was set */
  unsigned base_count[REGISTERS];
  uint32_t numbers[8]; /* values of registers after movs, adds and lsls */
  bool unknown;        /* the references cannot be determined */
  void (*met)(void *context, uint64_t address, const struct referrer *from);
  void *context;
  struct referrer from;
};

static void match_reference(struct reference_scan *search, uint64_t address) {
  uint32_t offset = (uint32_t)address - search->first;
  if (offset <= search->span)
    search->met(search->context, search->first + (uint64_t)offset,
                &search->from);
}

static void match_branch_target(struct reference_scan *search,
                                const struct instruction *instruction) {
  search->from.kind = instruction->kind;
  if (instruction->direct)
    match_reference(search, instruction->target);
  search->from.kind = INSTRUCTION_PLAIN;
}

/* ---- bases ---- */

static void keep_base_value(struct reference_scan *search, unsigned number,
                            uint32_t base) {
  unsigned i = search->base_count[number]++ % KEPT;
  search->bases[number][i] = base;
  search->based[number][i] = search->from.address;
}

/* Handles an instruction that sets the upper part of an address. Keeps the base
 * if a later offset can reach the range from there. */
static void match_and_keep_upper_part(struct reference_scan *search,
                                      unsigned number, uint64_t base) {
  match_reference(search, base);
  if ((uint32_t)base - (search->first - REACH) <= search->span + 2 * REACH)
    keep_base_value(search, number, (uint32_t)base);
}

/* Handles an instruction that sets the lower 16 bits of an address. Keeps the
 * base if an address in the range can have these bits. */
static void match_and_keep_lower_part(struct reference_scan *search,
                                      unsigned number, uint32_t low) {
  match_reference(search, low);
  if (((low - search->first) & 0xFFFF) <= search->span)
    keep_base_value(search, number, low);
}

static void match_base_sums(struct reference_scan *search, unsigned number,
                            uint64_t more) {
  for (unsigned i = 0; i < KEPT && i < search->base_count[number]; i++) {
    search->from.base = search->based[number][i];
    match_reference(search, search->bases[number][i] + more);
  }
  search->from.base = 0;
}

/* ---- instructions ---- */

static uint32_t thumb_immediate(uint32_t first, uint32_t second) {
  return (first & 0x400) << 1 | (second >> 4 & 0x700) | (second & 0xFF);
}

static void scan_thumb_wide(struct reference_scan *search, uint32_t first,
                            uint32_t second, uint64_t pc) {
  unsigned to = second >> 8 & 15;
  uint32_t number = thumb_immediate(first, second);
  if (second & 0x8000)
    return;
  if ((first & 0xFBF0) == 0xF240) /* movw */
    match_and_keep_lower_part(search, to, (first & 15) << 12 | number);
  else if ((first & 0xFBF0) == 0xF2C0) /* movt */
    match_base_sums(search, to, ((first & 15) << 12 | number) << 16);
  else if ((first & 0xFBFF) == 0xF20F) /* adr */
    match_reference(search, (pc & ~UINT64_C(3)) + number);
  else if ((first & 0xFBFF) == 0xF2AF)
    match_reference(search, (pc & ~UINT64_C(3)) - number);
}

static void scan_thumb(struct reference_scan *search, uint32_t word,
                       uint64_t pc) {
  uint32_t *numbers = search->numbers;
  unsigned to = word >> 8 & 7;
  if ((word & 0xFF78) == 0x4478 && (word & 0x87) != 0x87) /* add to, pc */
    search->unknown = true;
  if ((word & 0xF800) == 0xA000) /* adr */
    match_reference(search, (pc & ~UINT64_C(3)) + (word & 0xFF) * 4);
  if ((word & 0xF800) == 0x2000) /* movs, adds, lsls: in execute-only code */
    numbers[to] = word & 0xFF;
  if ((word & 0xF800) == 0x3000)
    match_reference(search, numbers[to] += word & 0xFF);
  if ((word & 0xF800) == 0x0000)
    match_reference(search, numbers[word & 7] = numbers[word >> 3 & 7]
                                                << (word >> 6 & 31));
}

static void scan_a32(struct reference_scan *search, uint32_t word,
                     uint64_t pc) {
  unsigned to = word >> 12 & 15, turn = word >> 7 & 30;
  uint32_t number = (word >> 4 & 0xF000) | (word & 0xFFF), small = word & 0xFF;
  uint64_t turned = small >> turn | (uint64_t)small << (32 - turn);
  if ((word & 0x0FF00000) == 0x03000000) /* movw */
    match_and_keep_lower_part(search, to, number);
  if ((word & 0x0FF00000) == 0x03400000) /* movt */
    match_base_sums(search, to, number << 16);
  if ((word & 0x0FEF0000) == 0x028F0000) /* add to, pc, #number */
    match_reference(search, pc + turned);
  if ((word & 0x0FEF0000) == 0x024F0000)
    match_reference(search, pc - turned);
  if ((word & 0x0FEF0000) == 0x008F0000 && to != 15) /* add to, pc, other */
    search->unknown = true;
}

static void scan_aarch64(struct reference_scan *search, uint32_t word,
                         uint64_t at) {
  unsigned to = word & 31, from = word >> 5 & 31;
  uint64_t page =
      code_sign_extend((word >> 3 & 0x1FFFFC) | (word >> 29 & 3), 21);
  uint32_t number = word >> 10 & 0xFFF, half = word >> 5 & 0xFFFF;
  if ((word & 0x9F000000) == 0x90000000) /* adrp */
    match_and_keep_upper_part(search, to,
                              (at & ~UINT64_C(0xFFF)) + (page << 12));
  if ((word & 0x9F000000) == 0x10000000) /* adr */
    match_reference(search, at + page);
  if ((word & 0x7F800000) == 0x11000000) /* add */
    match_base_sums(search, from, word & 1u << 22 ? number << 12 : number);
  if ((word & 0x3F000000) == 0x39000000) /* ldr */
    match_base_sums(search, from, number << (word >> 30));
  if ((word & 0x7FE00000) == 0x52800000) /* movz */
    match_and_keep_lower_part(search, to, half);
  if ((word & 0x7FE00000) == 0x72A00000) /* movk */
    match_base_sums(search, to, half << 16);
}

static void scan_riscv(struct reference_scan *search, uint32_t word,
                       uint64_t at) {
  unsigned to = word >> 7 & 31;
  uint64_t high = code_sign_extend(word & 0xFFFFF000, 32);
  if ((word & 0x7F) == 0x37) /* lui */
    match_and_keep_upper_part(search, to, high);
  else if ((word & 0x7F) == 0x17) /* auipc */
    match_and_keep_upper_part(search, to, at + high);
  else if ((word & 0x707F) == 0x13 || (word & 0x7F) == 0x03) /* addi, loads */
    match_base_sums(search, word >> 15 & 31, code_sign_extend(word >> 20, 12));
  else if ((word & 0xE003) == 0x6001) /* c.lui */
    match_and_keep_upper_part(
        search, to,
        code_sign_extend((word & 0x1000) << 5 | (word & 0x7C) << 10, 18));
}

/* ---- code ---- */

static void scan_instruction(struct reference_scan *search,
                             const struct code_walk *walk) {
  const struct instruction *instruction = &walk->instruction;
  const unsigned char *at = walk->bytes + (walk->address - walk->begin);
  bool big = search->code.set.big;
  uint64_t address = walk->address;
  search->from.address = address;
  match_branch_target(search, instruction);
  if (search->elf->machine == ELF_AARCH64)
    scan_aarch64(search, load32(at, false), address);
  else if (!walk->thumb)
    scan_a32(search, load32(at, big), address + 8);
  else if (instruction->length == 4)
    scan_thumb_wide(search, load16(at, big), load16(at + 2, big), address + 4);
  else
    scan_thumb(search, load16(at, big), address + 4);
}

static void scan_code(struct reference_scan *search,
                      const struct elf_section *section) {
  struct code_walk walk;
  code_walk_begin(&walk, &search->code, section->address,
                  section->address + section->size);
  while (code_walk_next(&walk))
    scan_instruction(search, &walk);
  search->unknown = search->unknown || !walk.bytes;
}

/* Decodes an instruction at every halfword. Data in RISC-V code may not have
 * mapping symbols, so it is not known where instructions begin. */
static void scan_riscv_code(struct reference_scan *search,
                            const struct elf_section *section) {
  for (uint64_t i = 0; i + 2 <= section->size; i += 2) {
    const unsigned char *at = section->bytes + i;
    struct bytes left = {at, section->size - i};
    struct instruction instruction;
    uint64_t address = section->address + i;
    bool wide = (at[0] & 3) == 3;
    if (!instruction_decode(&instruction, &search->code.set, left, address))
      continue;
    code_complete_target(&search->code, &instruction, address);
    search->from.address = address;
    match_branch_target(search, &instruction);
    if (!wide || left.size >= 4)
      scan_riscv(search, wide ? load32(at, false) : load16(at, false), address);
  }
}

/* ---- data ---- */

/* Returns whether a section is ignored. Such sections contain the addresses of
 * all functions, or only numbers. */
static bool is_ignored_section(const char *name) {
  return strncmp(name, ".eh_frame", 9) == 0 ||
         strncmp(name, "__llvm_prf_", 11) == 0;
}

static void scan_words(struct reference_scan *search,
                       const struct elf_section *section) {
  for (uint64_t i = 0; i + 4 <= section->size; i += 2) {
    search->from.address = section->address + i;
    match_reference(search, load32(section->bytes + i, search->elf->big));
  }
}

bool references_visit(const struct elf *elf,
                      const struct reference_query *wanted) {
  bool riscv = elf->machine == ELF_RISCV;
  uint64_t global;
  struct reference_scan search = {.elf = elf,
                                  .first = (uint32_t)wanted->first,
                                  .span =
                                      (uint32_t)(wanted->last - wanted->first),
                                  .met = wanted->met,
                                  .context = wanted->context};
  search.unknown = code_open(&search.code, elf) != NULL ||
                   elf->machine == ELF_X86 ||
                   elf->machine == ELF_X86_64 ||
                   (elf->machine == ELF_ARM && !search.code.mark_count);
  if (riscv)
    keep_base_value(&search, 0, 0);
  if (riscv && elf_find_symbol(elf, "__global_pointer$", &global))
    keep_base_value(&search, 3, (uint32_t)global);
  for (uint64_t i = 0; i < elf->section_count && !search.unknown; i++) {
    struct elf_section section = elf_section(elf, i);
    if (!(section.flags & ELF_ALLOC) || is_ignored_section(section.name))
      continue;
    search.unknown = section.flags & ELF_CODE && !section.bytes;
    if (!section.bytes)
      continue;
    scan_words(&search, &section);
    if (section.flags & ELF_CODE && riscv)
      scan_riscv_code(&search, &section);
    else if (section.flags & ELF_CODE)
      scan_code(&search, &section);
  }
  code_close(&search.code);
  return !search.unknown;
}
