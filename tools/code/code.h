/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instructions of a linked ELF. Skips data between instructions, which the
 * mapping symbols of Arm and RISC-V mark ($t, $a, $x, $d).
 */
#ifndef BAREPROF_TOOLS_CODE_CODE_H
#define BAREPROF_TOOLS_CODE_CODE_H

#include "../base/storage.h"
#include "../base/bytes.h"
#include "../object/elf.h"

/* ---- instruction ----
 *
 * The length of an instruction, whether it branches or calls, and whether that
 * depends on a condition. A32, Thumb-2, AArch64, RISC-V, x86.
 */

enum {
  MACHINE_X86 = 3,
  MACHINE_ARM = 40,
  MACHINE_X86_64 = 62,
  MACHINE_AARCH64 = 183,
  MACHINE_RISCV = 243
};

enum instruction_kind {
  INSTRUCTION_PLAIN,
  INSTRUCTION_BRANCH, /* the last one of a block; jumps and returns too */
  INSTRUCTION_CALL
};

/* How an instruction moves the link register to or from the stack; not for
 * x86. */
enum instruction_link { LINK_LEFT, LINK_SAVED, LINK_RESTORED };

/* Whether it stores to memory or loads from it; a load relative to the PC is of
 * a constant, and counts as none. Not for x86. */
enum instruction_memory { MEMORY_LEFT, MEMORY_STORED, MEMORY_LOADED };

struct instruction {
  unsigned length; /* bytes, 1 to 15 */
  enum instruction_kind kind;
  bool returns; /* to the caller */
  bool ends;    /* the following instruction never runs next, whatever the
                   condition; never set for Arm's 32-bit code */
  bool conditional; /* a branch or call that may fall through instead */
  bool predicated;  /* it acts only if a condition holds: A32's condition field,
                       and what code_next finds in an IT block */
  unsigned governs; /* of IT: how many following ones are predicated */
  enum instruction_link link;
  enum instruction_memory memory;
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

/* From here on it is code or data. */
struct code_mark {
  uint64_t address;
  unsigned char letter; /* t, a, x, d */
};

struct code {
  const struct elf *elf;
  struct instruction_set set;
  const struct code_mark *marks; /* ascending */
  size_t mark_count;
  struct buffer mark_memory;
};

/* Returns NULL, or the error that the machine's instructions are unknown here.
 * The caller calls code_close in both cases. elf must live as long. */
const char *code_open(struct code *code, const struct elf *elf);
void code_close(struct code *code);

/* An address as instructions have it: without the bit that says Thumb. */
uint64_t code_address(const struct code *code, uint64_t address);

/* The instructions from begin to end, in order:
 *
 *     struct code_walk walk;
 *     for (code_walk(&walk, &code, begin, end); code_next(&walk);)
 *       ... walk.address, walk.instruction ...
 *
 * The walk ends early, with walk.at < end, at bytes that are no known
 * instruction. */
struct code_walk {
  const struct code *code;
  uint64_t address;
  struct instruction instruction;
  uint64_t at, end; /* what follows */
  size_t mark;      /* the next one */
  bool data, thumb;
  unsigned predicated; /* instructions that are left of an IT block */
  const unsigned char *bytes; /* at begin; NULL: the image has none */
  uint64_t begin;
};
void code_walk(struct code_walk *walk, const struct code *code, uint64_t begin,
               uint64_t end);
bool code_next(struct code_walk *walk);

/* On RISC-V, auipc and jalr form one call or jump: only both together give the
 * target. Makes the instruction at address, if it is a jalr after its auipc,
 * direct. */
void code_join(const struct code *code, struct instruction *call,
               uint64_t address);

/* Finds the call that returns to this address, and its place *address. false:
 * the bytes right before show no call. */
bool code_call_before(const struct code *code, uint64_t returns,
                      struct instruction *call, uint64_t *address);

/* Finds the ELF's first code in memory, rounded down to a page. false: there is
 * no code. */
bool code_begins(const struct elf *elf, uint64_t *address);

/* ---- refer.c ----
 *
 * Finds what may refer to an address: a loaded word, or code that computes the
 * address, calls it or branches to it. May find too much, but never too little.
 */

struct referrer {
  uint64_t address;
  enum instruction_kind kind; /* PLAIN: it loads or computes the address */
  uint64_t base; /* the instruction that may have set the upper or lower part;
                    0: none is needed */
};

struct refer {
  uint64_t first, last; /* addresses; both included */
  void *context;
  void (*met)(void *context, uint64_t address, const struct referrer *from);
};

/* Returns false if that cannot be determined: for machines other than Arm,
 * AArch64 and RISC-V, for code that is not in the file, for Arm code without
 * mapping symbols, and for code that adds its own address to a register. */
bool refer_find(const struct elf *elf, const struct refer *wanted);

#endif
