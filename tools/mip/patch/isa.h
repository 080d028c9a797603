/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instruction sets of `bareprof mip patch`: the nops that compilers leave
 * at an entry for -fpatchable-function-entry, and the sleds that may replace
 * them. Only Arm's ip, AArch64's x16 and RISC-V's t0 and t1 are free there;
 * x86-64 has no free register.
 *
 * A sled either stores 0 to the function's raw byte, or calls a helper with the
 * function's index behind the call. If the compiler's nops are Thumb, the sled
 * is Thumb. All code is little-endian.
 */
#ifndef MIP_PATCH_ISA_H
#define MIP_PATCH_ISA_H

#include "../../object/elf.h"

enum { PATCH_SLED_MOST = 16, PATCH_INDEX_MOST = 0xFFFF };

struct patch_place {
  const unsigned char *nops; /* what is there now */
  uint64_t address;          /* of the sled */
  uint64_t raw;              /* of the byte that a store writes */
  uint64_t helper;           /* of the called helper; on Arm, bit 0: Thumb */
  uint32_t index;            /* for the helper, up to PATCH_INDEX_MOST */
};

struct patch_isa {
  uint16_t fill; /* the smallest nop, of fill_size bytes, to fill the rest */
  uint16_t fill_size;
  uint16_t step;    /* the alignment of instructions */
  bool takes_chain; /* a nested function of GNU C gets a pointer in what is
                     * free otherwise */
  /* Returns the size of the nop at the beginning of size bytes of code; 0:
   * there is none. */
  unsigned (*nop)(const unsigned char *code, size_t size);
  /* The same for instructions that must stay first: bti, endbr64 and the
   * like. */
  unsigned (*marker)(const unsigned char *code, size_t size);
  /* Whether the code ends an interrupt handler, where no register is free. code
   * is at a multiple of `step` bytes from the handler's beginning. */
  bool (*returns_from_interrupt)(const unsigned char *code, size_t size);
  /* Write a sled to bytes[PATCH_SLED_MOST]. Return the size; 0: the target is
   * out of reach. */
  unsigned (*store)(const struct patch_place *place, unsigned char *bytes);
  unsigned (*call)(const struct patch_place *place, unsigned char *bytes);
};

extern const struct patch_isa patch_thumb, patch_a32, patch_aarch64,
    patch_riscv32, patch_riscv64, patch_x86_64;

/* Returns the instruction set of a function of this ELF; NULL: the machine is
 * not supported. */
const struct patch_isa *patch_isa_of(const struct elf *elf, bool thumb);

/* Returns NULL, or the reason why ELFs of this machine and byte order are
 * refused. */
const char *patch_isa_refuses(const struct elf *elf);

/* Whether to - from fits into so many bits, including the sign. Then *distance
 * is the difference. */
bool patch_distance(uint64_t from, uint64_t to, unsigned bits,
                    int64_t *distance);

#endif
