/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Includes the assembler macros for the helpers of Machine IR Profile, one set
 * for each architecture, and describes them. A sled, the first instructions of
 * a function, calls a helper. The sled's argument is in the code after the call
 * instruction:
 *
 *   form        index (`bareprof mip patch`)    address (`... instrument`)
 *   Thumb       mov ip, lr; bl; .hword i        mov ip, lr; bl; .word raw
 *   A32         mov ip, lr; bl; .word i         mov ip, lr; bl; .word raw
 *   AArch64     mov x16, x30; bl; .word i       mov x16, x30; bl; .word raw - .
 *   RISC-V      jal t0; lui zero, 16 * i        call t0; .word raw - .
 *
 * i is the function's 16-bit index in the raw section. After its header, the
 * raw section has the raw bytes of each function: 1 byte for
 * bareprof_mip_cover, 8 bytes for bareprof_mip_count and bareprof_mip_edge, 16
 * bytes for bareprof_mip_step. raw is the address of the function's raw bytes.
 * A .word in the code may be at any multiple of 2.
 *
 * An inline sled counts without a call, and calls a helper in rare cases only.
 * An inline sled on RISC-V calls bareprof_mip_first (A extension only) with raw
 * in t1, and bareprof_mip_sample with raw + 8 in t1, both with `call t0`. An
 * inline sled on Arm calls bareprof_mip_sample with an address, as in the
 * table.
 *
 * A helper returns to the code after the argument, and the link register again
 * has its value from before the sled. A helper changes only ip (Arm), x16 and
 * x17 (AArch64) or t1 (RISC-V); all other registers, the flags and the stack
 * stay the same. The file of each architecture states the stack use. A helper
 * may be interrupted anywhere, also by code that calls the same helper.
 *
 * The macros, in the order of their use:
 *   helper NAME        begins the function
 *   save               saves registers
 *   from_index SHIFT, from_address      loads the address of the raw bytes
 *   cover; count; edge FUNCTION         marks a function; counts a call; calls
 *                                       FUNCTION, which counts an edge
 *   restore            restores the registers and returns
 * Architectures with inline sleds also have from_inline and restore_inline.
 */
#if defined(__arm__) && \
    (__ARM_ARCH_PROFILE == 'M' || (__ARM_FEATURE_LDREX & 4))
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

  /* Each helper has a section of its own, so that --gc-sections removes helpers
   * that no sled calls. */
  .macro helper name
  .section .text.\name, "ax", %progbits
  .balign 4
  .globl \name
  .type \name, %function
#if defined(__thumb__)
  .thumb_func
#endif
\name:
  .endm

  .macro end_helper name
  .size \name, . - \name
  .endm

  .section .note.GNU-stack, "", %progbits
