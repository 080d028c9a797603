/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Unwinds the stack: finds, for an address, how the registers of a function's
 * caller can be computed from the function's own. Reads .debug_frame and
 * .eh_frame of an ELF for Arm, AArch64 or RISC-V, with DWARF's register
 * numbers. arm_unwind.c reads .ARM.exidx, which libraries and C++ have without
 * .debug_frame. wire/gdb_stack.c walks the stack with these functions.
 */
#ifndef TOOLS_UNWIND_H
#define TOOLS_UNWIND_H

#include "elf.h"

/* Where the caller's value of a register is. */
enum unwind_rule_kind {
  UNWIND_SAME,     /* the caller's value is still in the register */
  UNWIND_AT,       /* the value is in memory, at the frame's address plus an
                      offset */
  UNWIND_IS,       /* the value is the frame's address plus an offset */
  UNWIND_REGISTER, /* the value is in another register */
  UNWIND_LOST      /* the value is unknown */
};

struct unwind_rule {
  enum unwind_rule_kind how;
  int64_t number; /* the offset, or the other register */
};

enum { UNWIND_REGISTERS = 32 };

/* The rules for one address. */
struct unwind_row {
  unsigned base; /* the frame's address is this register plus `offset` */
  int64_t offset;
  unsigned returns; /* the register with the return address */
  struct unwind_rule rules[UNWIND_REGISTERS];
};

/* The frame sections of an ELF. */
struct unwind_tables {
  const struct elf *elf;
  struct elf_section sections[2]; /* .debug_frame, .eh_frame */
  struct bytes frames[2];
  unsigned char *memory[2];
  struct elf_section index; /* Arm's .ARM.exidx; without bytes if missing */
};

/* Returns NULL or the error. The caller calls unwind_close in both cases. elf
 * must live as long as unwind. */
const char *unwind_open(struct unwind_tables *unwind, const struct elf *elf);
void unwind_close(struct unwind_tables *unwind);

/* Finds the rules at an address. Returns false if the rules are not certain. */
bool unwind_find_row(const struct unwind_tables *unwind, uint64_t address,
                     struct unwind_row *row);

/* ---- arm_unwind.c ---- */

/* Finds the rules at an address inside a call of a function in .ARM.exidx.
 * Elsewhere the frame may be incomplete, and the rules are wrong. Returns false
 * if the rules are not certain, also if the function lacks an entry: its
 * address then belongs to the entry of an earlier function, which may have
 * other rules.
 */
bool unwind_find_row_at_call(const struct unwind_tables *unwind,
                             uint64_t address,
                             const struct elf_symbol *function,
                             struct unwind_row *row);

#endif
