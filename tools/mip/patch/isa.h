/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What `bareprof mip patch` knows of an instruction set: what compilers leave
 * at an entry for -fpatchable-function-entry, and what may stand there
 * instead. Only Arm's ip, AArch64's x16 and RISC-V's t0 and t1 are free there;
 * on x86-64 nothing is.
 *
 * A sled either stores 0 to the function's raw byte, or calls a helper with
 * the function's index behind the call. Where the compiler's nops are Thumb,
 * a sled is of Thumb. All is little-endian.
 */
#ifndef MIP_PATCH_ISA_H
#define MIP_PATCH_ISA_H

#include "../../object/elf.h"

enum { PATCH_SLED_MOST = 16, PATCH_INDEX_MOST = 0xFFFF };

struct patch_place {
  const unsigned char *nops; /* what is there now */
  uint64_t address;          /* of the sled */
  uint64_t raw;              /* of the byte that a store is to */
  uint64_t helper;           /* of what a call is to; on Arm, bit 0: Thumb */
  uint32_t index;            /* for the helper, up to PATCH_INDEX_MOST */
};

struct patch_isa {
  uint16_t fill; /* the smallest nop, of fill_size bytes, for what is left */
  uint16_t fill_size;
  uint16_t step;    /* bytes that instructions are at multiples of */
  bool takes_chain; /* a nested function of GNU C gets a pointer in what is
                     * free otherwise */
  /* Bytes of the nop that size bytes of code begin with; 0: with none. */
  unsigned (*nop)(const unsigned char *code, size_t size);
  /* The same of what has to stay first: bti, endbr64 and the like. */
  unsigned (*marker)(const unsigned char *code, size_t size);
  /* Whether this is how an interrupt handler ends, where nothing is free; code
   * is at a multiple of `step` bytes from its beginning. */
  bool (*returns_from_interrupt)(const unsigned char *code, size_t size);
  /* Write a sled to bytes[PATCH_SLED_MOST]. Return its size; 0: it does not
   * reach. */
  unsigned (*store)(const struct patch_place *place, unsigned char *bytes);
  unsigned (*call)(const struct patch_place *place, unsigned char *bytes);
};

extern const struct patch_isa patch_thumb, patch_a32, patch_aarch64,
    patch_riscv32, patch_riscv64, patch_x86_64;

/* Of a function of this ELF; NULL: there is none for its machine. */
const struct patch_isa *patch_isa_of(const struct elf *elf, bool thumb);

/* NULL, or why no ELF of its machine and byte order is taken. */
const char *patch_isa_refuses(const struct elf *elf);

/* Whether to - from is a number of so many bits, the sign among them; it is
 * in *distance then. */
bool patch_distance(uint64_t from, uint64_t to, unsigned bits,
                    int64_t *distance);

#endif
