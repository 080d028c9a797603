/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Who called: how the registers of a function's caller follow from its own, at
 * an address, by .debug_frame and .eh_frame. For Arm, AArch64 and RISC-V, whose
 * numbers of registers these are. .ARM.exidx is not read: it is right only
 * where calls return to, and code without .debug_frame has no lines either.
 */
#ifndef TOOLS_UNWIND_H
#define TOOLS_UNWIND_H

#include "elf.h"

enum unwind_how {
  UNWIND_SAME,
  UNWIND_AT, /* in memory, at an offset from the frame's address */
  UNWIND_IS, /* the frame's address and an offset */
  UNWIND_REGISTER,
  UNWIND_LOST
};

struct unwind_rule {
  enum unwind_how how;
  int64_t number; /* the offset, or the register */
};

enum { UNWIND_REGISTERS = 32 };

struct unwind_row {
  unsigned base; /* the frame's address is this register and an offset */
  int64_t offset;
  unsigned returns; /* the register with the return address */
  struct unwind_rule rules[UNWIND_REGISTERS];
};

struct unwind {
  const struct elf *elf;
  struct elf_section sections[2]; /* .debug_frame, .eh_frame */
  struct bytes frames[2];
  unsigned char *memory[2];
};

/* Returns NULL or the error. The caller calls unwind_close in both cases. */
const char *unwind_open(struct unwind *unwind, const struct elf *elf);
void unwind_close(struct unwind *unwind);

/* Finds the row of an address. false: it is not certain. */
bool unwind_find(const struct unwind *unwind, uint64_t address,
                 struct unwind_row *row);

#endif
