/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * AArch64 in EL1, either byte order: entry, vectors and faults. MMU and
 * caches are off, and stay off. The timer interrupt has a vector; all others
 * are faults. The entry calls board_prepare and board_run (start.c).
 */
  .section .vectors, "ax", %progbits
  .globl start
start:
#if defined(__AARCH64EB__)
  mrs x0, sctlr_el1
  orr x0, x0, #(1 << 25) /* EE, before the first load or store */
  msr sctlr_el1, x0
#endif
  adrp x0, vectors
  add x0, x0, :lo12:vectors
  msr vbar_el1, x0
  mov x0, #(3 << 20) /* FPU and NEON are off after reset */
  msr cpacr_el1, x0
  isb
  adrp x0, stack_top
  add x0, x0, :lo12:stack_top
  mov sp, x0
  bl board_prepare
  bl board_run

  /* Sixteen entries, 128 bytes apart; the sixth is for interrupts of EL1 on
   * its own stack. */
  .balign 2048
vectors:
  .rept 5
  .balign 128
  b fault
  .endr
  .balign 128
  b timer_interrupt
  .rept 10
  .balign 128
  b fault
  .endr

  /* A bad stack may be the reason for the fault, so the stack pointer is set
   * to the top again. The cause that is reported is the exception syndrome
   * (ESR). */
fault:
  adrp x0, stack_top
  add x0, x0, :lo12:stack_top
  mov sp, x0
  mrs x0, esr_el1
  mrs x1, elr_el1
  bl board_fault

  /* The handler of the timer, unless the program defines another one. */
  .section .text.timer_interrupt, "ax", %progbits
  .weak timer_interrupt
timer_interrupt:
  stp x29, x30, [sp, #-176]!
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  stp x8, x9, [sp, #80]
  stp x10, x11, [sp, #96]
  stp x12, x13, [sp, #112]
  stp x14, x15, [sp, #128]
  stp x16, x17, [sp, #144]
  str x18, [sp, #160]
  bl timer_tick
  ldr x18, [sp, #160]
  ldp x16, x17, [sp, #144]
  ldp x14, x15, [sp, #128]
  ldp x12, x13, [sp, #112]
  ldp x10, x11, [sp, #96]
  ldp x8, x9, [sp, #80]
  ldp x6, x7, [sp, #64]
  ldp x4, x5, [sp, #48]
  ldp x2, x3, [sp, #32]
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #176
  eret

  /* Calls PSCI's SYSTEM_RESET, which QEMU itself implements. */
  .section .text.board_reset, "ax", %progbits
  .globl board_reset
board_reset:
  movz w0, #0x8400, lsl #16
  movk w0, #9
  hvc #0
  b .

  .section .note.GNU-stack, "", %progbits
