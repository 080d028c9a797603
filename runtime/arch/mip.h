/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Assembler macros that the helpers of Machine IR Profile are made of, one set
 * for each architecture. A sled, the first instructions of a function, calls a
 * helper. The argument is in the code after the call:
 *
 *   form        index (`bareprof mip patch`)    address (`... instrument`)
 *   Thumb       mov ip, lr; bl; .hword i        mov ip, lr; bl; .word raw
 *   A32         mov ip, lr; bl; .word i         mov ip, lr; bl; .word raw
 *   AArch64     mov x16, x30; bl; .word i       mov x16, x30; bl; .word raw - .
 *   RISC-V      jal t0; lui zero, 16 * i        call t0; .word raw - .
 *
 * i is a 16-bit index: of a function's byte (mip_cover), of its 8 bytes
 * (mip_count, mip_edge) or 16 bytes (mip_step) after the raw section's header.
 * raw is their address. Words may be at any multiple of 2.
 *
 * Inline sleds do the usual part themselves, and call a helper for the rest:
 * mip_first on RISC-V with A, `call t0` with raw in t1; mip_sample on RISC-V,
 * `call t0` with raw + 8 in t1, and on Arm as above.
 *
 * A helper returns to the code after the argument, with the link register as it
 * was before the sled. A helper changes only ip (Arm), x16 and x17 (AArch64) or
 * t1 (RISC-V); all other registers, the flags and the stack stay the same. Each
 * file states its stack use. A helper may be interrupted anywhere, also by code
 * that calls it.
 *
 * The macros, in the order of their use:
 *   helper NAME        begins the function
 *   save               makes room
 *   from_index SHIFT, from_address      finds the raw bytes
 *   cover; count; edge FUNCTION         marks, counts, or calls FUNCTION
 *   restore            restores, returns
 * Architectures with inline sleds add from_inline and restore_inline.
 */
#if defined(__arm__) && defined(__thumb__) && !defined(__thumb2__)
#if __ARM_ARCH_PROFILE == 'M'
#include "mip_thumb1.h"
#endif
#elif defined(__arm__) && (__ARM_FEATURE_LDREX & 4)
#include "mip_arm.h"
#elif defined(__aarch64__)
#include "mip_aarch64.h"
#elif defined(__riscv)
#include "mip_riscv.h"
#endif

#if !defined(BAREPROF_MIP_SOON)
  .macro sample_soon
  .endm
#endif

#if !defined(BAREPROF_MIP_STEP)
  .macro step_index
  save_all
  from_index 4
  edge bareprof_mip_stepped
  restore_all
  .endm
#endif

  .macro helper name
  .section .text.bareprof_mip, "ax", %progbits
  .balign 4
  .globl \name
  .type \name, %function
#if defined(__thumb__)
  .thumb_func
#endif
\name:
  .endm

  .section .note.GNU-stack, "", %progbits
