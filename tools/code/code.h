/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module decodes the instructions of a linked ELF for Arm, AArch64, RISC-V
 * and x86. The module skips data between instructions, which the mapping
 * symbols of Arm and RISC-V mark ($t, $a, $x, $d). objectcode.h,
 * sample/listing.h and the doctor use this module.
 */
#ifndef BAREPROF_TOOLS_CODE_CODE_H
#define BAREPROF_TOOLS_CODE_CODE_H

#include "../base/storage.h"
#include "../base/bytes.h"
#include "../object/elf.h"

/* ---- instruction ----
 *
 * instruction_decode decodes one instruction: its length, whether the
 * instruction branches or calls, and whether the branch depends on a condition.
 */

enum instruction_kind {
  INSTRUCTION_PLAIN,
  INSTRUCTION_BRANCH, /* ends a block of code: a branch, jump or return */
  INSTRUCTION_CALL
};

/* The ways in which an instruction moves the link register to or from the
 * stack. Not set for x86. */
enum instruction_link { LINK_LEFT, LINK_SAVED, LINK_RESTORED };

/* The ways in which an instruction uses memory. PC-relative loads do not count,
 * because they read constants. Not set for x86. */
enum instruction_memory { MEMORY_LEFT, MEMORY_STORED, MEMORY_LOADED };

/* A decoded instruction, and its effect on the control flow. */
struct instruction {
  unsigned length; /* length in bytes, from 1 to 15 */
  enum instruction_kind kind;
  bool returns;     /* The instruction returns to the caller. */
  bool conditional; /* The branch or call may fall through. */
  bool ends;        /* The instruction is a branch or call that never falls
                       through. Never set for A32 and Thumb code. */
  /* The instruction acts only if a condition holds: because of the condition
   * field of A32 or (set by code_walk_next) of an IT block. */
  bool predicated;
  unsigned governs; /* number of instructions in the block of an IT */
  /* A pending interrupt, and so a task switch, takes effect here: svc, isb,
   * wfi, a write of a system register. Also set for instructions that always
   * trap, such as udf. Always false for x86. */
  bool synchronizes;
  enum instruction_link link;
  enum instruction_memory memory;
  bool direct;     /* The target is known. */
  bool tabled;     /* Zcmt: `target` was the index of an entry in a table. */
  uint64_t target; /* address of the target if `direct` is set; bit 0 is clear,
                      also for Thumb code */
};

/* The instruction set of some code. */
struct instruction_set {
  uint16_t machine;
  bool wide;  /* The code is 64-bit code. */
  bool big;   /* The code is big-endian. */
  bool thumb; /* The code is Thumb code, not A32. */
  /* RISC-V: the extensions of which at most one has the encodings of c.fsdsp.
   * If no extension is set, the encodings are unknown. */
  bool doubles; /* the extension D: c.fsdsp stores a double */
  bool zcmp;    /* pushes, pops with and without a return, and moves */
  bool zcmt;    /* jumps and calls through a table */
};

/* Decodes the first instruction of `code`, which is at `address`. Returns false
 * if the instruction is unknown or truncated. */
bool instruction_decode(struct instruction *instruction,
                        const struct instruction_set *set, struct bytes code,
                        uint64_t address);

/* ---- instruction_*.c ---- */

bool instruction_decode_arm(struct instruction *to,
                            const struct instruction_set *set,
                            struct bytes code, uint64_t address);
bool instruction_decode_riscv(struct instruction *to,
                              const struct instruction_set *set,
                              struct bytes code, uint64_t address);
bool instruction_decode_x86(struct instruction *to,
                            const struct instruction_set *set,
                            struct bytes code, uint64_t address);

/* Returns the low `bits` bits as a signed number. */
static inline uint64_t code_sign_extend(uint64_t value, unsigned bits) {
  uint64_t sign = UINT64_C(1) << (bits - 1);
  value &= (sign << 1) - 1;
  return (value ^ sign) - sign;
}

/* Makes *to a direct branch or call. */
static inline void instruction_set_target(struct instruction *to,
                                          enum instruction_kind kind,
                                          uint64_t target) {
  to->kind = kind;
  to->direct = true;
  to->target = target;
}

static inline void instruction_set_branch(struct instruction *to,
                                          uint64_t target) {
  instruction_set_target(to, INSTRUCTION_BRANCH, target);
}

/* ---- code.c ---- */

/* A mapping symbol, which says that code or data begins at its address. */
struct code_mapping_symbol {
  uint64_t address;
  uint32_t number;      /* index in the symbol table */
  unsigned char letter; /* t: Thumb, a: A32, x: other code, d: data */
};

/* The code of an ELF, and the places of data between the instructions. */
struct elf_code {
  const struct elf *elf;
  struct instruction_set set;
  const struct code_mapping_symbol *marks; /* mapping symbols by address */
  size_t mark_count;
  struct buffer mark_memory;
  uint64_t jump_table; /* address of Zcmt's table; 0 if unknown */
};

/* Opens the code of an ELF, which must live as long as `code`. Returns NULL or
 * the error, for example if the machine is not supported. The caller calls
 * code_close in both cases. */
const char *code_open(struct elf_code *code, const struct elf *elf);
void code_close(struct elf_code *code);

/* Returns an address without the bit that selects Thumb. */
uint64_t code_clear_thumb_bit(const struct elf_code *code, uint64_t address);

/* Returns a return address without the Thumb bit. On AArch64, the high bits of
 * a saved address may be a signature (-mbranch-protection). If the ELF lacks
 * the address, the result has the bits above the low 32 of the code at `pc`. */
uint64_t code_clean_return_address(const struct elf_code *code,
                                   uint64_t returns, uint64_t pc);

/* A walk visits the instructions from `begin` to `end`, in order:
 *
 *     struct code_walk walk;
 *     for (code_walk_begin(&walk, &code, begin, end); code_walk_next(&walk);)
 *       ... walk.address, walk.instruction ...
 *
 * The walk ends early, with walk.at < end, at bytes that are not a known
 * instruction. */
struct code_walk {
  const struct elf_code *code;
  uint64_t address;
  struct instruction instruction;
  uint64_t at, end; /* the part of the range that remains */
  size_t mark;      /* index of the next element of code->marks */
  bool data, thumb; /* the kind of the bytes at `at`, from mapping symbols */
  unsigned predicated; /* number of instructions that remain in the IT block */
  const unsigned char *bytes; /* bytes at `begin`; NULL if the ELF lacks them */
  uint64_t begin;
};
void code_walk_begin(struct code_walk *walk, const struct elf_code *code,
                     uint64_t begin, uint64_t end);
bool code_walk_next(struct code_walk *walk);

/* Makes a call or jump at `address` direct if its bytes alone do not have
 * the target: a jalr of RISC-V after its auipc, and Zcmt's jumps through a
 * table. */
void code_complete_target(const struct elf_code *code, struct instruction *call,
                          uint64_t address);

/* Finds the call that returns to the address `returns`, and sets *address to
 * the call's address. Returns false if the preceding bytes are not a call. */
bool code_find_call_before(const struct elf_code *code, uint64_t returns,
                           struct instruction *call, uint64_t *address);

/* Finds the address of the first code in memory, rounded down to a page.
 * Returns false if the ELF lacks code. */
bool code_find_first_page(const struct elf *elf, uint64_t *address);

/* ---- references.c ----
 *
 * This file finds references to an address: words in loaded sections, and code
 * that computes the address, calls it or branches to it. The result may contain
 * too many references, but never too few.
 */

/* A word or an instruction that may refer to an address. */
struct referrer {
  uint64_t address;
  enum instruction_kind kind; /* kind of the instruction; INSTRUCTION_PLAIN if
                                 it contains or computes the address */
  /* The instruction that may have set the other part of the address. 0 means
   * that the address has only one part. */
  uint64_t base;
};

/* The addresses whose references are searched. `met` receives each
 * reference. */
struct reference_query {
  uint64_t first, last; /* first and last address of the range */
  void *context;
  void (*met)(void *context, uint64_t address, const struct referrer *from);
};

/* Finds all references. Returns false if they cannot be determined: for
 * machines other than Arm, AArch64 and RISC-V, for code that is not in the
 * file, for Arm code without mapping symbols, and for code that adds its own
 * address to a register. */
bool references_visit(const struct elf *elf,
                      const struct reference_query *wanted);

#endif
