/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof probes --check uses this file to report probes that are misplaced,
 * or less useful than possible. The file reports only faults that are certain
 * from the ELF, once for each remedy, with the first function as an example.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/compare.h"
#include "probe_inside.h"
#include "probe.h"

struct probe_checker {
  FILE *stream;
  const struct probes *probes;
  const struct elf *elf;
  unsigned findings;
};

static void add_probe_fault(struct probe_faults *seen, uint64_t guid) {
  if (!seen->count++)
    seen->guid = guid;
}

/* Prints a fault in the form WHAT: COUNT (FIRST[, ...]); REMEDY. The parameter
 * `what` has the form "WHAT; REMEDY". */
static void print_and_count_fault(struct probe_checker *check,
                                  const struct probe_faults *seen,
                                  const char *what) {
  char room[PROBE_NAME_ROOM], shown[1024];
  if (!seen->count)
    return;
  check->findings++;
  const char *mend = strchr(what, ';');
  fprintf(check->stream, "%.*s: %zu (%s%s)%s\n", (int)(mend - what), what,
          seen->count,
          make_printable(shown, sizeof shown,
                         probe_name_or_guid(check->probes, seen->guid, room)),
          seen->count > 1 ? ", ..." : "", mend);
}

/* ---- records ---- */

static void print_record_place_faults(struct probe_checker *check) {
  static const char *const texts[] = {
      [PROBE_GUESSED] =
          "some functions share a name, so their probes cannot be located; "
          "compile with -funique-internal-linkage-names",
      [PROBE_NO_SYMBOL] =
          "some functions have probes but no symbol that locates the probes; "
          "link without -s (--strip-all) and -x (--discard-all), and pass the "
          "ELF that ran, unstripped",
      [PROBE_NO_CODE] = "the linker dropped some functions with probes; no "
                        "action is needed, these probes are left out",
      [PROBE_DISAGREEING] =
          "some functions have probes outside of all code; compile with "
          "-mno-relax for RISC-V, otherwise link again"};
  struct probe_faults seen[PROBE_DISAGREEING + 1] = {{0}};
  for (size_t i = 0; i < check->probes->record_count; i++) {
    const struct probe_record *record = &check->probes->records[i];
    add_probe_fault(&seen[record->placed], record->guid);
  }
  for (unsigned i = PROBE_GUESSED; i <= PROBE_DISAGREEING; i++)
    print_and_count_fault(check, &seen[i], texts[i]);
}

static bool has_symbol_at(const struct probes *probes, uint64_t guid,
                          uint64_t address) {
  const struct symbol_by_guid *names = probe_find_guid_symbols(probes, guid);
  size_t i = names ? search_from(names, names->count, address, address) : 0;
  return names && i < names->count && names[i].address == address;
}

/* Returns whether a symbol may be a part or a clone of the function. */
static bool is_part_of_function(const char *symbol, const char *function) {
  size_t size = strlen(function);
  return strncmp(symbol, function, size) == 0 &&
         (symbol[size] == 0 || symbol[size] == '.');
}

/* Returns whether a probe in a symbol's code says how it was inlined. */
static bool has_inlined_probe(const struct probes *probes,
                              const struct code_symbol *symbol) {
  for (size_t i = probes_index_from(probes, symbol->address);
       i < probes->count &&
       probes->list[i].address - symbol->address < symbol->size;
       i++)
    if (probes->list[i].inlining)
      return true;
  return false;
}

/* Checks the records of inlined functions. With -g0, the inlining is unknown,
 * so inlined code has its own record inside another function. With debug
 * information, only code that the optimiser merged from several places has its
 * own record. */
static void print_inlined_faults(struct probe_checker *check) {
  const struct probes *probes = check->probes;
  struct probe_faults seen = {0};
  for (size_t i = 0; i < probes->record_count; i++) {
    const struct probe_record *record = &probes->records[i];
    const struct code_symbol *symbol =
        probes_find_symbol(probes, record->address);
    const char *name = probes_function_name(probes, record->guid);
    if (symbol && name && record->count && record->placed <= PROBE_GUESSED &&
        !is_part_of_function(symbol->name, name) &&
        symbol->guid != record->guid &&
        !has_symbol_at(probes, record->guid, symbol->address) &&
        !has_inlined_probe(probes, symbol))
      add_probe_fault(&seen, record->guid);
  }
  print_and_count_fault(
      check, &seen,
      "some inlined functions have no call site; compile with -g1 "
      "or -gline-directives-only, and without "
      "-gno-inline-line-tables (-g0 removes call sites)");
}

static void print_descriptor_faults(struct probe_checker *check) {
  struct probe_faults seen = {0};
  for (size_t i = 0; i < check->probes->record_count; i++) {
    uint64_t guid = check->probes->records[i].guid;
    if (!probes_find_function_or_parent(check->probes, guid))
      add_probe_fault(&seen, guid);
  }
  print_and_count_fault(
      check, &seen,
      "some functions have probes but no descriptor, and so no checksum; keep "
      "the section .pseudo_probe_desc when linking");
  if (!check->probes->repeated)
    return;
  check->findings++;
  fprintf(check->stream,
          "some functions have different checksums in two files: %" PRIu64
          "; compile all files with the same macros and compiler, and with "
          "-funique-internal-linkage-names\n",
          check->probes->repeated);
}

static void print_loaded_bytes_fault(struct probe_checker *check) {
  if (!check->probes->loaded)
    return;
  check->findings++;
  fprintf(check->stream,
          "%" PRIu64
          " bytes of probes are loaded, but the target does not read them; "
          "take .pseudo_probe and .pseudo_probe_desc out of the loaded "
          "sections of the linker script, or place them at 0 as (INFO)\n",
          check->probes->loaded);
}

unsigned probes_print_faults(FILE *stream, const struct probes *probes,
                             const struct elf *elf) {
  struct probe_checker check = {stream, probes, elf, 0};
  print_record_place_faults(&check);
  print_inlined_faults(&check);
  print_descriptor_faults(&check);
  print_loaded_bytes_fault(&check);
  struct probe_misplacements misplaced;
  probe_find_misplaced(&misplaced, probes, elf);
  print_and_count_fault(
      &check, &misplaced.relaxed,
      "some functions have misplaced probes, because linker "
      "relaxation made the code shorter; compile with -mno-relax");
  print_and_count_fault(
      &check, &misplaced.inside,
      "some probes are not at the start of an instruction; "
      "compile with -mno-relax for RISC-V, otherwise link again");
  print_and_count_fault(
      &check, &misplaced.outside,
      "some probes are outside of their function; compile with "
      "-mno-relax for RISC-V, otherwise link again");
  return check.findings;
}

/* ==== This part finds a fault on RISC-V. clang 19 and older write the distance
 * between two probes as a number, but later the linker may shorten the code
 * between the probes. Compilers write each call as auipc and jalr, so a call
 * that is a single jal was shortened. So was an instruction that addresses data
 * relative to gp. */

enum { RA = 1, GP = 3 };

/* ---- RISC-V ---- */

/* Returns 2 or 4, or 0 for a longer instruction. */
static unsigned riscv_instruction_size(uint16_t first) {
  if ((first & 3) != 3)
    return 2;
  return (first & 0x1C) != 0x1C ? 4 : 0;
}

static bool is_relaxed_instruction(const unsigned char *at, unsigned length,
                                   bool wide) {
  if (length == 2)
    return !wide && (load16(at, false) & 0xE003) == 0x2001; /* c.jal */
  uint32_t word = load32(at, false);
  unsigned opcode = word & 0x7F, to = word >> 7 & 31, from = word >> 15 & 31;
  if (opcode == 0x6F)
    return to == RA;
  /* Loads, stores and addi relative to gp that do not set gp. */
  return from == GP && to != GP &&
         (opcode == 0x03 || opcode == 0x23 || opcode == 0x07 ||
          opcode == 0x27 || opcode == 0x13);
}

/* A walk over the instructions and probes of a symbol. */
struct probe_walk {
  const struct probes *probes;
  struct probe_misplacements *misplaced;
  const struct elf *elf;
  const unsigned char *code;
  size_t next; /* index of the first probe that the walk has not passed */
};

/* Returns whether the probe's address is a distance from a probe before the
 * shortened code. */
static bool spans_shortened_code(const struct probe_walk *walk,
                                 const struct probe *probe,
                                 uint64_t shortened) {
  const struct probe_record *record = &walk->probes->records[probe->record];
  return !(probe->flags & PROBE_ADDRESSED) && record->address <= shortened;
}

/* Moves past the probes of one instruction, and counts those inside it as
 * faults. `shortened` is the last address before the instruction where the
 * linker shortened code, or UINT64_MAX. Sets *found to a probe whose address is
 * wrong because of the shortening. */
static void pass_and_check_probes(struct probe_walk *walk, uint64_t address,
                                  unsigned length, uint64_t shortened,
                                  const struct probe **found) {
  const struct probes *probes = walk->probes;
  for (; walk->next < probes->count &&
         probes->list[walk->next].address - address < length;
       walk->next++) {
    const struct probe *probe = &probes->list[walk->next];
    if (probe->address != address)
      add_probe_fault(&walk->misplaced->inside, probe->guid);
    if (shortened != UINT64_MAX && spans_shortened_code(walk, probe, shortened))
      *found = probe;
  }
}

static void note_relaxed_probe_in_symbol(struct probe_walk *walk,
                                         const struct code_symbol *symbol) {
  uint64_t at = 0, shortened = UINT64_MAX;
  const struct probe *found = NULL;
  while (at + 2 <= symbol->size) {
    unsigned length = riscv_instruction_size(load16(walk->code + at, false));
    if (!length || length > symbol->size - at)
      break;
    pass_and_check_probes(walk, symbol->address + at, length, shortened,
                          &found);
    if (is_relaxed_instruction(walk->code + at, length, walk->elf->wide))
      shortened = symbol->address + at;
    at += length;
  }
  if (found)
    add_probe_fault(&walk->misplaced->relaxed, found->guid);
}

static void count_riscv_code_faults(struct probe_walk *walk) {
  const struct probes *probes = walk->probes;
  for (size_t i = 0; i < probes->symbol_count; i++) {
    const struct code_symbol *symbol = &probes->symbols[i];
    walk->next = probes_index_from(probes, symbol->address);
    if (walk->next == probes->count ||
        probes->list[walk->next].address - symbol->address >= symbol->size)
      continue;
    walk->code = elf_bytes_at(walk->elf, symbol->address, symbol->size);
    if (walk->code)
      note_relaxed_probe_in_symbol(walk, symbol);
  }
}

/* ---- any machine ---- */

/* Counts probes outside the symbol of their record. Records in old encodings
 * begin with an address instead of a symbol, so they are skipped. */
static void count_out_of_bounds_probes(struct probe_misplacements *misplaced,
                                       const struct probes *probes) {
  for (size_t i = 0; i < probes->count; i++) {
    const struct probe *probe = &probes->list[i];
    const struct probe_record *record = &probes->records[probe->record];
    const struct code_symbol *symbol =
        probes_find_symbol(probes, probe->address);
    if (record->encoding != PROBE_DELTA || !symbol ||
        record->placed != PROBE_PLACED || symbol->address == record->address)
      continue;
    /* The symbol of the record may be an alias within another symbol. */
    if (probes_find_symbol(probes, record->address) != symbol)
      add_probe_fault(&misplaced->outside, probe->guid);
  }
}

static void count_unaligned_probes(struct probe_misplacements *misplaced,
                                   const struct probes *probes, unsigned step) {
  for (size_t i = 0; i < probes->count; i++)
    if (probes->list[i].address % step)
      add_probe_fault(&misplaced->inside, probes->list[i].guid);
}

void probe_find_misplaced(struct probe_misplacements *misplaced,
                          const struct probes *probes, const struct elf *elf) {
  struct probe_walk walk = {probes, misplaced, elf, NULL, 0};
  *misplaced = (struct probe_misplacements){0};
  if (elf->machine == ELF_RISCV)
    count_riscv_code_faults(&walk);
  else if (elf->machine == ELF_AARCH64)
    count_unaligned_probes(misplaced, probes, 4);
  else if (elf->machine == ELF_ARM)
    count_unaligned_probes(misplaced, probes, 2);
  count_out_of_bounds_probes(misplaced, probes);
}
