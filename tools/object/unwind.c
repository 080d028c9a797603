/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads call-frame information (DWARF 5, section 6.4). An entry with unknown
 * contents does not give a result. unwind.h documents the functions.
 */
#include "unwind.h"

#include <stdlib.h>

#include "../base/bytes.h"
#include "../base/number.h"
#include "dwarf_internal.h"

enum { KEPT_MOST = 8 };

/* ---- .debug_frame, .eh_frame ---- */

/* A common information entry (CIE), which several functions share. */
struct unwind_common_entry {
  unsigned encoding; /* encoding of addresses in .eh_frame */
  bool augmented;    /* the functions' entries have augmentation data */
  uint64_t code_align;
  int64_t data_align;
  uint64_t returns;
  struct dwarf_reader code;
};

struct unwind_reader {
  const struct unwind_tables *unwind;
  unsigned which;             /* index in unwind->sections; 1: .eh_frame */
  struct dwarf_reader reader; /* the rest of the current entry */
};

static bool skip_bytes(struct dwarf_reader *reader, uint64_t size) {
  if (size > dwarf_bytes_left(reader))
    return false;
  reader->at += size;
  return true;
}

static bool skip_block(struct dwarf_reader *reader) {
  uint64_t size;
  return dwarf_read_uleb(reader, &size) && skip_bytes(reader, size);
}

/* Reads an address in an encoding of .eh_frame, or a size if `plain` is set. */
static bool read_encoded_address(struct unwind_reader *reading,
                                 unsigned encoding, bool plain,
                                 uint64_t *value) {
  enum { ABSOLUTE = 0x00, UNSIGNED4 = 0x03, SIGNED4 = 0x0B, RELATIVE = 0x10 };
  static const unsigned char sizes[16] = {
      [2] = 2, [3] = 4, [4] = 8, [10] = 2, [11] = 4, [12] = 8};
  const struct unwind_tables *unwind = reading->unwind;
  const struct bytes *frames = &unwind->frames[reading->which];
  unsigned form = encoding & 0xF;
  unsigned size = form ? sizes[form] : unwind->elf->wide ? 8 : 4;
  uint64_t at = unwind->sections[reading->which].address +
                (uint64_t)(reading->reader.at - frames->data);
  if (!size || encoding & ~0x1Fu ||
      !dwarf_read_number(&reading->reader, size, value))
    return false;
  if (plain)
    return true;
  if (form & 8 && size < 8)
    *value |= -(*value >> (8 * size - 1)) << (8 * size);
  if (encoding & RELATIVE)
    *value += at;
  if (!unwind->elf->wide)
    *value &= UINT32_MAX;
  return true;
}

/* Reads the data that the letters of an augmentation string announce. */
static bool read_augmentation(struct unwind_reader *reading, const char *text,
                              struct unwind_common_entry *common) {
  struct dwarf_reader *reader = &reading->reader;
  uint64_t size, ignored;
  if (*text != 'z')
    return !*text;
  common->augmented = true;
  if (!dwarf_read_uleb(reader, &size) || size > dwarf_bytes_left(reader))
    return false;
  const unsigned char *end = reader->at + size;
  for (text++; *text; text++) {
    uint64_t encoding = 0;
    if (*text == 'S' || *text == 'B')
      continue;
    if (!strchr("RLP", *text) || !dwarf_read_number(reader, 1, &encoding))
      return false;
    if (*text == 'R')
      common->encoding = (unsigned)encoding;
    if (*text == 'P' && !read_encoded_address(reading, (unsigned)encoding & 0xF,
                                              true, &ignored))
      return false;
  }
  reader->at = end;
  return true;
}

/* Reads the header of the entry at an offset, up to its id. */
static bool read_entry_header(struct unwind_reader *reading, uint64_t at,
                              uint64_t *id) {
  const struct bytes *frames = &reading->unwind->frames[reading->which];
  uint64_t size;
  if (at >= frames->size)
    return false;
  reading->reader =
      (struct dwarf_reader){frames->data + at, frames->data + frames->size,
                            reading->unwind->elf->big};
  if (!dwarf_read_number(&reading->reader, 4, &size) || size < 4 ||
      size > dwarf_bytes_left(&reading->reader))
    return false;
  reading->reader.end = reading->reader.at + size;
  return dwarf_read_number(&reading->reader, 4, id);
}

static bool read_common_entry(struct unwind_reader *reading, uint64_t at,
                              struct unwind_common_entry *common) {
  struct dwarf_reader *reader = &reading->reader;
  uint64_t id, version, sizes;
  *common = (struct unwind_common_entry){.encoding = 0};
  if (!read_entry_header(reading, at, &id) ||
      id != (reading->which ? 0 : UINT32_MAX) ||
      !dwarf_read_number(reader, 1, &version))
    return false;
  const char *text = (const char *)reader->at;
  const unsigned char *end = memchr(text, 0, dwarf_bytes_left(reader));
  if (!end || (version != 1 && version != 3 && version != 4))
    return false;
  reader->at = end + 1;
  if (version == 4 && (!dwarf_read_number(reader, 2, &sizes)))
    return false;
  if (!dwarf_read_uleb(reader, &common->code_align) ||
      !read_sleb128(&reader->at, reader->end, &common->data_align) ||
      !(version == 1 ? dwarf_read_number(reader, 1, &common->returns)
                     : dwarf_read_uleb(reader, &common->returns)) ||
      !read_augmentation(reading, text, common))
    return false;
  common->code = *reader;
  return common->returns < UNWIND_REGISTERS;
}

/* ---- instructions, whose codes are in section 7.24 ---- */

struct unwind_machine {
  const struct unwind_common_entry *common;
  struct unwind_row row, first; /* first: the row after the instructions of the
                                   common entry */
  struct unwind_row kept[KEPT_MOST];
  unsigned kept_count;
  uint64_t address, wanted;
};

static void set_unwind_rule(struct unwind_machine *machine, uint64_t number,
                            enum unwind_rule_kind how, int64_t value) {
  if (number < UNWIND_REGISTERS)
    machine->row.rules[number] = (struct unwind_rule){how, value};
}

static bool set_unwind_base(struct unwind_machine *machine,
                            struct dwarf_reader *reader, unsigned code) {
  uint64_t base = machine->row.base, number = 0;
  int64_t offset = machine->row.offset;
  bool has_base = code == 0x0C || code == 0x0D || code == 0x12;
  if (has_base && !dwarf_read_uleb(reader, &base))
    return false;
  if (code == 0x0C || code == 0x0E) {
    if (!dwarf_read_uleb(reader, &number))
      return false;
    offset = (int64_t)number;
  } else if (code != 0x0D) {
    if (!read_sleb128(&reader->at, reader->end, &offset))
      return false;
    offset =
        (int64_t)((uint64_t)offset * (uint64_t)machine->common->data_align);
  }
  machine->row.base = (unsigned)base;
  machine->row.offset = offset;
  return base < UNWIND_REGISTERS;
}

/* Executes an instruction that says how a register is restored. `code` is its
 * first byte. Returns false if its operands are damaged. */
static bool set_register_rule(struct unwind_machine *machine,
                              struct dwarf_reader *reader, unsigned code) {
  uint64_t number = code & 0x3F, value = 0;
  int64_t offset = 0;
  /* Two instructions have a short form, with the register in the low bits. */
  if (code >> 6)
    code = code >> 6 == 2 ? 0x05 : 0x06;
  else if (!dwarf_read_uleb(reader, &number))
    return false;
  switch (code) {
  case 0x06:
    if (number < UNWIND_REGISTERS)
      machine->row.rules[number] = machine->first.rules[number];
    return true;
  case 0x07:
    set_unwind_rule(machine, number, UNWIND_LOST, 0);
    return true;
  case 0x08:
    set_unwind_rule(machine, number, UNWIND_SAME, 0);
    return true;
  case 0x09:
    if (!dwarf_read_uleb(reader, &value))
      return false;
    set_unwind_rule(machine, number,
                    value < UNWIND_REGISTERS ? UNWIND_REGISTER : UNWIND_LOST,
                    (int64_t)value);
    return true;
  case 0x10:
  case 0x16:
    set_unwind_rule(machine, number, UNWIND_LOST, 0);
    return skip_block(reader);
  default:
    if (code == 0x05 || code == 0x14
            ? !dwarf_read_uleb(reader, &value)
            : !read_sleb128(&reader->at, reader->end, &offset))
      return false;
    value += (uint64_t)offset;
    value *= (uint64_t)machine->common->data_align;
    set_unwind_rule(machine, number, code >= 0x14 ? UNWIND_IS : UNWIND_AT,
                    (int64_t)value);
    return true;
  }
}

static bool save_or_restore_row(struct unwind_machine *machine, bool restore) {
  if (restore ? !machine->kept_count : machine->kept_count == KEPT_MOST)
    return false;
  if (restore)
    machine->row = machine->kept[--machine->kept_count];
  else
    machine->kept[machine->kept_count++] = machine->row;
  return true;
}

/* Runs instructions up to the wanted address. Returns false at an unknown
 * instruction. */
static bool run_unwind_program(struct unwind_machine *machine,
                               struct unwind_reader *reading) {
  struct dwarf_reader *reader = &reading->reader;
  while (machine->address <= machine->wanted && dwarf_bytes_left(reader)) {
    unsigned code = *reader->at++;
    uint64_t step = 0, value;
    bool good = true;
    if (code >> 6 == 1) {
      step = code & 0x3F;
    } else if (code == 1) {
      good = read_encoded_address(reading, machine->common->encoding, false,
                                  &machine->address);
    } else if (code >= 2 && code <= 4) {
      good = dwarf_read_number(reader, 1u << (code - 2), &step);
    } else if (code == 0x0A || code == 0x0B) {
      good = save_or_restore_row(machine, code == 0x0B);
    } else if ((code >= 0x0C && code <= 0x0E) || code == 0x12 || code == 0x13) {
      good = set_unwind_base(machine, reader, code);
    } else if (code >= 0x80 || (code >= 5 && code <= 9) || code == 0x10 ||
               code == 0x11 || (code >= 0x14 && code <= 0x16)) {
      good = set_register_rule(machine, reader, code);
    } else {
      /* 0x2C and 0x2D of AArch64 say whether the return address is signed. */
      good =
          !code || (code == 0x2E && dwarf_read_uleb(reader, &value)) ||
          (reading->unwind->elf->machine == ELF_AARCH64 && code >> 1 == 0x16);
    }
    if (!good)
      return false;
    machine->address += step * machine->common->code_align;
  }
  return true;
}

/* Computes the unwind row of an address. `reading` is in the function's entry,
 * after the function's addresses. */
static bool compute_unwind_row(struct unwind_reader *reading,
                               const struct unwind_common_entry *common,
                               uint64_t begin, uint64_t address,
                               struct unwind_row *row) {
  struct unwind_machine machine = {.common = common, .wanted = address};
  struct unwind_reader shared = *reading;
  shared.reader = common->code;
  machine.row.base = UNWIND_REGISTERS;
  machine.row.returns = (unsigned)common->returns;
  if (!run_unwind_program(&machine, &shared) || machine.address)
    return false;
  machine.first = machine.row;
  machine.address = begin;
  if ((common->augmented && !skip_block(&reading->reader)) ||
      !run_unwind_program(&machine, reading))
    return false;
  *row = machine.row;
  return row->base < UNWIND_REGISTERS;
}

static bool find_row_in_section(const struct unwind_tables *unwind,
                                unsigned which, uint64_t address,
                                struct unwind_row *row) {
  struct unwind_reader reading = {.unwind = unwind, .which = which};
  const struct bytes *frames = &unwind->frames[which];
  uint64_t at = 0, id;
  while (read_entry_header(&reading, at, &id)) {
    struct unwind_reader function = reading;
    struct unwind_common_entry common;
    uint64_t begin, size;
    uint64_t where =
        which ? (uint64_t)(reading.reader.at - 4 - frames->data) - id : id;
    at = (uint64_t)(reading.reader.end - frames->data);
    if (id == (which ? 0 : UINT32_MAX) || where >= frames->size)
      continue;
    if (read_common_entry(&reading, where, &common) &&
        read_encoded_address(&function, common.encoding, false, &begin) &&
        read_encoded_address(&function, common.encoding, true, &size) &&
        address - begin < size && begin)
      return compute_unwind_row(&function, &common, begin, address, row);
  }
  return false;
}

/* ---- all sections of an ELF ---- */

/* Finds Arm's exception index. The type of the section identifies the index,
 * because linker scripts name the section in several ways. */
static void find_index(struct unwind_tables *unwind, const struct elf *elf) {
  enum { ARM_INDEX = 0x70000001 };
  for (uint64_t i = 0; elf->machine == ELF_ARM && i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.type == ARM_INDEX && section.bytes && !unwind->index.bytes)
      unwind->index = section;
  }
}

const char *unwind_open(struct unwind_tables *unwind, const struct elf *elf) {
  static const char *const names[] = {".debug_frame", ".eh_frame"};
  *unwind = (struct unwind_tables){.elf = elf};
  find_index(unwind, elf);
  for (unsigned i = 0; i < 2; i++) {
    struct elf_section *section = &unwind->sections[i];
    const char *error =
        elf_find_section(elf, names[i], section)
            ? elf_read_contents(elf, section, elf_derived_size_limit(elf),
                                &unwind->frames[i], &unwind->memory[i])
            : NULL;
    if (error)
      return error;
  }
  return NULL;
}

void unwind_close(struct unwind_tables *unwind) {
  free(unwind->memory[0]);
  free(unwind->memory[1]);
}

bool unwind_find_row(const struct unwind_tables *unwind, uint64_t address,
                     struct unwind_row *row) {
  return find_row_in_section(unwind, 0, address, row) ||
         find_row_in_section(unwind, 1, address, row);
}
