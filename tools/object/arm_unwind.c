/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads Arm's exception index (.ARM.exidx) and handling table (.ARM.extab), as
 * in "Exception Handling ABI for the Arm Architecture". These tables say how a
 * function's frame is removed, but not where in the function the frame exists:
 * it is certain only at the function's calls. unwind.h documents the functions.
 */
#include "unwind.h"

enum { ENTRY_SIZE = 8, SP = 13, LINK = 14 };

/* The opcodes of a function: bytes `at` to `end` of a list of words, the most
 * significant byte of each word first. */
struct unwind_opcodes {
  const unsigned char *words;
  bool big;
  unsigned at, end;
};

/* ---- opcodes ---- */

static bool parse_next_opcode(struct unwind_opcodes *codes, unsigned *value) {
  if (codes->at == codes->end)
    return false;
  uint32_t word = load32(codes->words + codes->at / 4 * 4, codes->big);
  *value = word >> (24 - 8 * (codes->at++ % 4)) & 0xFF;
  return true;
}

/* Pops the registers of a mask, whose bit 0 is register `first`. A popped SP or
 * PC is not certain. */
static bool pop_registers(struct unwind_row *row, unsigned mask,
                          unsigned first) {
  enum { SP_AND_PC = 1 << 13 | 1 << 15 };
  mask <<= first;
  for (unsigned i = 0; i < 16; i++)
    if (mask >> i & 1) {
      row->rules[i] = (struct unwind_rule){UNWIND_AT, row->offset};
      row->offset += 4;
    }
  return mask && !(mask & SP_AND_PC);
}

/* Takes the frame's address from a register that calls preserve, and that has
 * not been popped. */
static bool set_base(struct unwind_row *row, unsigned base) {
  for (unsigned i = 0; i < 16; i++)
    if (row->rules[i].how != UNWIND_SAME)
      return false;
  row->base = base;
  row->offset = 0;
  return base >= 4 && base <= 11;
}

/* Adds the size in opcode 0xB2: 0x204 + 4 * a number in ULEB128. */
static bool add_leb_size(struct unwind_opcodes *codes, struct unwind_row *row) {
  uint64_t number = 0;
  unsigned shift = 0, byte;
  do {
    if (shift > 28 || !parse_next_opcode(codes, &byte))
      return false;
    number |= (uint64_t)(byte & 0x7F) << shift;
    shift += 7;
  } while (byte & 0x80);
  row->offset += (int64_t)(0x204 + 4 * number);
  return number <= UINT32_MAX / 4;
}

/* Skips double registers of VFP, whose number is in the low bits. */
static bool skip_doubles(struct unwind_row *row, unsigned less_one,
                         unsigned padding) {
  row->offset += 8 * (less_one + 1) + padding;
  return true;
}

/* Changes the row as an opcode of the ABI's table of unwinding instructions
 * says. Returns false for other opcodes. */
static bool run_opcode(struct unwind_opcodes *codes, unsigned code,
                       struct unwind_row *row) {
  unsigned low = code & 7, next = 0;
  if (code < 0x80) {
    int64_t size = 4 * (int64_t)(code & 0x3F) + 4;
    row->offset += code & 0x40 ? -size : size;
    return true;
  }
  if (code >= 0x90 && code < 0xA0)
    return set_base(row, code & 0xF);
  if (code >= 0xA0 && code < 0xB0)
    return pop_registers(row, (2u << low) - 1, 4) &&
           (!(code & 8) || pop_registers(row, 1, LINK));
  if (code >= 0xB8 && code < 0xC0)
    return skip_doubles(row, low, 4);
  if (code >= 0xD0 && code < 0xD8)
    return skip_doubles(row, low, 0);
  if (code == 0xB2)
    return add_leb_size(codes, row);
  /* 0xB4 pops the code that authenticates the return address. 0xB5 says which
   * stack pointer this code was made with, and changes nothing. */
  if (code == 0xB4 || code == 0xB5) {
    row->offset += code == 0xB4 ? 4 : 0;
    return true;
  }
  if (!parse_next_opcode(codes, &next))
    return false;
  if (code < 0x90)
    return pop_registers(row, (code & 0xF) << 8 | next, 4);
  if (code == 0xB1)
    return next < 0x10 && pop_registers(row, next, 0);
  if (code == 0xB3 || code == 0xC8 || code == 0xC9)
    return (next >> 4) + (next & 0xF) < 16 &&
           skip_doubles(row, next & 0xF, code == 0xB3 ? 4 : 0);
  return false;
}

static bool run_opcodes(struct unwind_opcodes *codes, struct unwind_row *row) {
  enum { FINISH = 0xB0 };
  unsigned code;
  *row = (struct unwind_row){.base = SP, .returns = LINK};
  while (parse_next_opcode(codes, &code) && code != FINISH)
    if (!run_opcode(codes, code, row))
      return false;
  for (unsigned i = 0; i < 16; i++)
    if (row->rules[i].how == UNWIND_AT)
      row->rules[i].number -= row->offset;
  return true;
}

/* ---- tables ---- */

/* Returns the address that a word at an address means: 31 bits, relative to the
 * word. */
static uint32_t decode_prel31(uint32_t word, uint64_t address) {
  return (uint32_t)address + ((word & 0x7FFFFFFF) | (word & 0x40000000) << 1);
}

/* Finds the opcodes of an entry. An entry of one word has them itself, or says
 * where the table has them. A personality routine of the program may use other
 * opcodes. */
static bool find_opcodes(const struct unwind_tables *unwind, uint64_t at,
                         struct unwind_opcodes *codes) {
  enum { NO_UNWINDING = 1 };
  const struct elf *elf = unwind->elf;
  uint64_t address = unwind->index.address + at + 4;
  const unsigned char *bytes = unwind->index.bytes + at + 4;
  uint32_t word = load32(bytes, elf->big);
  bool in_table = !(word >> 31) && word != NO_UNWINDING;
  if (in_table) {
    address = decode_prel31(word, address);
    bytes = elf_bytes_at(elf, address, 4);
    word = bytes ? load32(bytes, elf->big) : 0;
  }
  unsigned personality = word >> 24 & 0x7F, more = 0;
  if (!(word >> 31) || personality > (in_table ? 2 : 0))
    return false;
  if (personality)
    more = word >> 16 & 0xFF;
  *codes = (struct unwind_opcodes){bytes, elf->big, personality ? 2 : 1,
                                   4 + 4 * more};
  return !more || elf_bytes_at(elf, address, codes->end);
}

bool unwind_find_row_at_call(const struct unwind_tables *unwind,
                             uint64_t address,
                             const struct elf_symbol *function,
                             struct unwind_row *row) {
  const struct elf_section *index = &unwind->index;
  struct unwind_opcodes codes;
  uint64_t begin = function->value & ~UINT64_C(1), found = 0, count = 0;
  for (uint64_t at = 0; at + ENTRY_SIZE <= index->size; at += ENTRY_SIZE) {
    uint32_t from = decode_prel31(load32(index->bytes + at, unwind->elf->big),
                                  index->address + at) &
                    ~UINT32_C(1);
    if (from < begin || from > address)
      continue;
    if (from != begin || count++)
      return false;
    found = at;
  }
  return count && address - begin < function->size &&
         find_opcodes(unwind, found, &codes) && run_opcodes(&codes, row);
}
