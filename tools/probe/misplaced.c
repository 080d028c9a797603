/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The RISC-V trap: clang 19 and older write the distance between two probes as
 * a number, and the linker then makes the code between them shorter. Compilers
 * leave each call as auipc and jalr for the linker, so that one that is a
 * single jal was shortened; and so was what addresses data by gp.
 */
#include <string.h>

#include "check.h"
#include "inside.h"

enum { MACHINE_ARM = 40, MACHINE_RISCV = 243, MACHINE_AARCH64 = 183 };
enum { RA = 1, GP = 3 };

/* ---- RISC-V ---- */

static unsigned riscv_length(uint16_t first) {
  if ((first & 3) != 3)
    return 2;
  return (first & 0x1C) != 0x1C ? 4 : 0;
}

static bool is_relaxed(const unsigned char *at, unsigned length, bool wide) {
  if (length == 2)
    return !wide && (load16(at, false) & 0xE003) == 0x2001; /* c.jal */
  uint32_t word = load32(at, false);
  unsigned opcode = word & 0x7F, to = word >> 7 & 31, from = word >> 15 & 31;
  if (opcode == 0x6F)
    return to == RA;
  /* Loads, stores and addi, but not what computes gp or goes on from it. */
  return from == GP && to != GP &&
         (opcode == 0x03 || opcode == 0x23 || opcode == 0x07 ||
          opcode == 0x27 || opcode == 0x13);
}

/* A walk over a symbol's instructions, with its probes. */
struct walk {
  const struct probes *probes;
  struct probe_misplaced *misplaced;
  const struct elf *elf;
  const unsigned char *code;
  size_t next; /* the first probe that was not passed */
};

static void see_inside(struct probe_misplaced *misplaced,
                       const struct probe *probe) {
  if (!misplaced->inside++)
    misplaced->inside_guid = probe->guid;
}

/* Whether it counts from what is before the shortened code. */
static bool counts(const struct walk *walk, const struct probe *probe,
                   uint64_t shortened) {
  const struct probe_record *record = &walk->probes->records[probe->record];
  return !(probe->flags & PROBE_ADDRESSED) && record->address <= shortened;
}

/* The probes of one instruction, behind code that was shortened at `shortened`
 * or UINT64_MAX. */
static void pass(struct walk *walk, uint64_t address, unsigned length,
                 uint64_t shortened, const struct probe **found) {
  const struct probes *probes = walk->probes;
  for (; walk->next < probes->count &&
         probes->list[walk->next].address - address < length;
       walk->next++) {
    const struct probe *probe = &probes->list[walk->next];
    if (probe->address != address)
      see_inside(walk->misplaced, probe);
    if (shortened != UINT64_MAX && counts(walk, probe, shortened))
      *found = probe;
  }
}

static void walk_symbol(struct walk *walk, const struct probe_symbol *symbol) {
  uint64_t at = 0, shortened = UINT64_MAX;
  const struct probe *found = NULL;
  while (at + 2 <= symbol->size) {
    unsigned length = riscv_length(load16(walk->code + at, false));
    if (!length || length > symbol->size - at)
      break;
    pass(walk, symbol->address + at, length, shortened, &found);
    if (is_relaxed(walk->code + at, length, walk->elf->wide))
      shortened = symbol->address + at;
    at += length;
  }
  if (found && !walk->misplaced->relaxed++)
    walk->misplaced->relaxed_guid = found->guid;
}

static void walk_riscv(struct walk *walk) {
  const struct probes *probes = walk->probes;
  for (size_t i = 0; i < probes->symbol_count; i++) {
    const struct probe_symbol *symbol = &probes->symbols[i];
    walk->next = probes_from(probes, symbol->address);
    if (walk->next == probes->count ||
        probes->list[walk->next].address - symbol->address >= symbol->size)
      continue;
    walk->code = elf_at(walk->elf, symbol->address, symbol->size);
    if (walk->code)
      walk_symbol(walk, symbol);
  }
}

/* ---- any machine ---- */

bool probe_is_at(const struct probes *probes, uint64_t guid, uint64_t address) {
  const struct probe_name *names = probe_names_find(probes, guid);
  uint32_t low = 0, high = names ? names->count : 0;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (names[middle].address < address)
      low = middle + 1;
    else
      high = middle;
  }
  return names && low < names->count && names[low].address == address;
}

/* Old records begin with an address, and have no symbol to be outside of. */
static void check_bounds(struct probe_misplaced *misplaced,
                         const struct probes *probes) {
  for (size_t i = 0; i < probes->count; i++) {
    const struct probe *probe = &probes->list[i];
    const struct probe_record *record = &probes->records[probe->record];
    const struct probe_symbol *symbol = probes_symbol(probes, probe->address);
    if (record->encoding != PROBE_DELTA || !symbol ||
        record->placed != PROBE_PLACED || symbol->address == record->address)
      continue;
    /* The record's symbol may be an alias inside of another's bounds. */
    if (probes_symbol(probes, record->address) != symbol &&
        !misplaced->outside++)
      misplaced->outside_guid = probe->guid;
  }
}

static void check_aligned(struct probe_misplaced *misplaced,
                          const struct probes *probes, unsigned step) {
  for (size_t i = 0; i < probes->count; i++)
    if (probes->list[i].address % step)
      see_inside(misplaced, &probes->list[i]);
}

void probe_misplaced_find(struct probe_misplaced *misplaced,
                          const struct probes *probes, const struct elf *elf) {
  struct walk walk = {probes, misplaced, elf, NULL, 0};
  *misplaced = (struct probe_misplaced){0};
  if (elf->machine == MACHINE_RISCV)
    walk_riscv(&walk);
  else if (elf->machine == MACHINE_AARCH64)
    check_aligned(misplaced, probes, 4);
  else if (elf->machine == MACHINE_ARM)
    check_aligned(misplaced, probes, 2);
  check_bounds(misplaced, probes);
}
