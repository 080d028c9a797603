/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which instruction set a function is of. The ISAs are in patch_arm.c,
 * patch_aarch64.c, patch_riscv.c and patch_x86.c.
 */
#include "patch_isa.h"

enum { EM_ARM = 40, EM_X86_64 = 62, EM_AARCH64 = 183, EM_RISCV = 243 };

const struct patch_isa *patch_isa_of(const struct elf *elf, bool thumb) {
  switch (elf->machine) {
  case EM_ARM:
    return thumb ? &patch_thumb : &patch_a32;
  case EM_AARCH64:
    return &patch_aarch64;
  case EM_RISCV:
    return elf->wide ? &patch_riscv64 : &patch_riscv32;
  case EM_X86_64:
    return &patch_x86_64;
  default:
    return NULL;
  }
}

const char *patch_isa_refuses(const struct elf *elf) {
  bool wide = elf->machine == EM_AARCH64 || elf->machine == EM_X86_64;
  if (!patch_isa_of(elf, false) ||
      (wide != elf->wide && elf->machine != EM_RISCV))
    return "of a machine that is not known here; Arm, AArch64, RISC-V and "
           "x86-64 are";
  return elf->big
             ? "big-endian, whose instructions are not patched; use bareprof "
               "mip instrument"
             : NULL;
}

bool patch_distance(uint64_t from, uint64_t to, unsigned bits,
                    int64_t *distance) {
  int64_t half = INT64_C(1) << (bits - 1);
  *distance = (int64_t)(to - from);
  return *distance >= -half && *distance < half;
}
