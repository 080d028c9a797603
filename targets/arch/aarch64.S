/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * AArch64 in EL1, either byte order: entry, vectors and faults. MMU and
 * caches are off, and stay so. There are no interrupts: each vector is a
 * fault.
 */
  .section .vectors, "ax", %progbits
  .globl start
start:
#if defined(__AARCH64EB__)
  mrs x0, sctlr_el1
  orr x0, x0, #(1 << 25) /* EE: before the first load or store. */
  msr sctlr_el1, x0
#endif
  adrp x0, vectors
  add x0, x0, :lo12:vectors
  msr vbar_el1, x0
  mov x0, #(3 << 20) /* FPU and NEON are off after reset. */
  msr cpacr_el1, x0
  isb
  adrp x0, stack_top
  add x0, x0, :lo12:stack_top
  mov sp, x0
  bl board_prepare
  bl board_run

  /* Sixteen entries, 128 bytes apart. */
  .balign 2048
vectors:
  .rept 16
  .balign 128
  b fault
  .endr

  /* A fault may come of a bad stack: it gets a fresh one. The cause is the
   * exception syndrome. */
fault:
  adrp x0, stack_top
  add x0, x0, :lo12:stack_top
  mov sp, x0
  mrs x0, esr_el1
  mrs x1, elr_el1
  bl board_fault

  /* PSCI's SYSTEM_RESET; QEMU itself is the firmware that answers. */
  .section .text.board_reset, "ax", %progbits
  .globl board_reset
board_reset:
  movz w0, #0x8400, lsl #16
  movk w0, #9
  hvc #0
  b .

  .section .note.GNU-stack, "", %progbits
