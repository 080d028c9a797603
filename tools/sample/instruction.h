/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The length of an instruction, and whether it branches or calls. Samples need
 * no more. A32, Thumb-2, AArch64, RISC-V, x86.
 */
#ifndef SAMPLE_INSTRUCTION_H
#define SAMPLE_INSTRUCTION_H

#include "../base/bytes.h"

enum {
  MACHINE_X86 = 3,
  MACHINE_ARM = 40,
  MACHINE_X86_64 = 62,
  MACHINE_AARCH64 = 183,
  MACHINE_RISCV = 243
};

enum instruction_kind {
  INSTRUCTION_PLAIN,
  INSTRUCTION_BRANCH, /* a block ends behind it: jumps and returns too */
  INSTRUCTION_CALL
};

/* How an instruction moves the link register to or from the stack; not for
 * x86. */
enum instruction_link { LINK_LEFT, LINK_SAVED, LINK_RESTORED };

struct instruction {
  unsigned length; /* bytes, 1 to 15 */
  enum instruction_kind kind;
  bool returns; /* to the caller */
  bool ends;    /* the following instruction never runs next, whatever the
                   condition; never set for Arm's 32-bit code */
  enum instruction_link link;
  bool direct;     /* the target is known: */
  uint64_t target; /* bit 0 clear, also of Thumb code */
};

struct instruction_set {
  uint16_t machine;
  bool wide;  /* 64 bits */
  bool big;   /* the byte order of code */
  bool thumb; /* of Arm: here it is Thumb code */
};

/* Reads the instruction at code, which has left bytes. false: the instruction
 * is unknown or cut short. */
bool instruction_read(struct instruction *instruction,
                      const struct instruction_set *set, struct bytes code,
                      uint64_t address);

/* ---- instruction_*.c ---- */

bool instruction_arm(struct instruction *to, const struct instruction_set *set,
                     struct bytes code, uint64_t address);
bool instruction_riscv(struct instruction *to,
                       const struct instruction_set *set, struct bytes code,
                       uint64_t address);
bool instruction_x86(struct instruction *to, const struct instruction_set *set,
                     struct bytes code, uint64_t address);

/* The low `bits` bits as a signed number. */
static inline uint64_t sign_extended(uint64_t value, unsigned bits) {
  uint64_t sign = UINT64_C(1) << (bits - 1);
  value &= (sign << 1) - 1;
  return (value ^ sign) - sign;
}

static inline void instruction_to(struct instruction *to,
                                  enum instruction_kind kind, uint64_t target) {
  to->kind = kind;
  to->direct = true;
  to->target = target;
}

#endif
