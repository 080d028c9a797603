/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decodes the instructions of a linked ELF for Arm, AArch64, RISC-V and x86.
 * Skips data between instructions, which the mapping symbols of Arm and RISC-V
 * mark ($t, $a, $x, $d). objectcode.h, sample/listing.h and the doctor use it.
 */
#ifndef BAREPROF_TOOLS_CODE_CODE_H
#define BAREPROF_TOOLS_CODE_CODE_H

#include "../base/storage.h"
#include "../base/bytes.h"
#include "../object/elf.h"

/* ---- instruction ----
 *
 * Decodes one instruction: its length, whether the instruction branches or
 * calls, and whether the branch depends on a condition.
 */

/* The e_machine values of ELF. */

enum {
  MACHINE_X86 = 3,
  MACHINE_ARM = 40,
  MACHINE_X86_64 = 62,
  MACHINE_AARCH64 = 183,
  MACHINE_RISCV = 243
};

enum instruction_kind {
  INSTRUCTION_PLAIN,
  INSTRUCTION_BRANCH, /* ends a block: jumps and returns, too */
  INSTRUCTION_CALL
};

/* How an instruction moves the link register to or from the stack; not for
 * x86. */
enum instruction_link { LINK_LEFT, LINK_SAVED, LINK_RESTORED };

/* Whether an instruction stores to memory or loads from it. PC-relative loads
 * do not count, because they read constants. Not for x86. */
enum instruction_memory { MEMORY_LEFT, MEMORY_STORED, MEMORY_LOADED };

/* A decoded instruction, and its effect on the flow of control. */
struct instruction {
  unsigned length; /* in bytes, 1 to 15 */
  enum instruction_kind kind;
  bool returns;     /* returns to the caller */
  bool ends;        /* a branch or call that never falls through; never set for
                       A32 and Thumb code */
  bool conditional; /* a branch or call that may fall through instead */
  bool predicated;  /* acts only if a condition holds: the condition field of
                       A32, or (set by code_walk_next) an IT block */
  unsigned governs; /* for an IT: how many instructions it governs */
  bool synchronizes; /* a pending interrupt, and so a task switch, takes effect
                        here: svc, isb, wfi, a write of a system register; not
                        for x86 */
  enum instruction_link link;
  enum instruction_memory memory;
  bool direct;     /* the target is known */
  uint64_t target; /* set if `direct`; bit 0 is clear, also for Thumb code */
};

/* How to decode bytes of code. */
struct instruction_set {
  uint16_t machine;
  bool wide;  /* 64-bit code */
  bool big;   /* code is big-endian */
  bool thumb; /* Arm: Thumb code, not A32 */
};

/* Decodes the first instruction of `code`, which lies at `address`. false: the
 * instruction is unknown or truncated. */
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

/* The low `bits` bits as a signed number. */
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

/* A mapping symbol, which says that code or data starts at its address. */
struct code_mapping_symbol {
  uint64_t address;
  unsigned char letter; /* t: Thumb, a: A32, x: other code, d: data */
};

/* The code of an ELF, and where data lies between the instructions. */
struct elf_code {
  const struct elf *elf;
  struct instruction_set set;
  const struct code_mapping_symbol *marks; /* sorted by address */
  size_t mark_count;
  struct buffer mark_memory;
};

/* Returns NULL or the error; most often the machine is not supported. The
 * caller calls code_close in both cases. elf must live as long as code. */
const char *code_open(struct elf_code *code, const struct elf *elf);
void code_close(struct elf_code *code);

/* Returns an address without the bit that selects Thumb. */
uint64_t code_clear_thumb_bit(const struct elf_code *code, uint64_t address);

/* Visits the instructions from begin to end, in order:
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
  uint64_t at, end; /* the part of the range that is still to be walked */
  size_t mark;      /* index of the next element of code->marks */
  bool data, thumb;
  unsigned predicated; /* how many instructions are left in the IT block */
  const unsigned char *bytes; /* bytes at `begin`; NULL: the ELF lacks them */
  uint64_t begin;
};
void code_walk_begin(struct code_walk *walk, const struct elf_code *code,
                     uint64_t begin, uint64_t end);
bool code_walk_next(struct code_walk *walk);

/* On RISC-V, auipc and jalr together form one call or jump. Makes the
 * instruction at address direct if it is a jalr after its auipc. */
void code_join_auipc(const struct elf_code *code, struct instruction *call,
                     uint64_t address);

/* Finds the call that returns to an address; *address becomes the call's own
 * address. false: the bytes right before are not a call. */
bool code_find_call_before(const struct elf_code *code, uint64_t returns,
                           struct instruction *call, uint64_t *address);

/* Finds the ELF's first code in memory, rounded down to a page. false: no code
 * was found. */
bool code_find_first_page(const struct elf *elf, uint64_t *address);

/* ---- references.c ----
 *
 * Finds references to an address: words in loaded sections, and code that
 * computes the address, calls it or branches to it. The result may have too
 * many references, but never too few.
 */

/* A word or an instruction that may refer to an address. */
struct referrer {
  uint64_t address;
  enum instruction_kind kind; /* PLAIN: contains or computes the address */
  uint64_t base; /* the instruction that may have set the other part of the
                    address; 0: the address needs one part only */
};

/* The addresses to search for. met is called for each reference. */
struct reference_query {
  uint64_t first, last; /* the range of addresses; both ends are included */
  void *context;
  void (*met)(void *context, uint64_t address, const struct referrer *from);
};

/* Returns false if references cannot be determined: for machines other than
 * Arm,
 * AArch64 and RISC-V, for code that is not in the file, for Arm code without
 * mapping symbols, and for code that adds its own address to a register. */
bool references_find(const struct elf *elf,
                     const struct reference_query *wanted);

#endif
