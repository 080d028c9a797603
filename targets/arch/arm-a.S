/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ARMv7-A in ARM state, either byte order: entry, vectors and faults. Cores
 * start in supervisor mode with MMU and caches off, and stay so. Reset and the
 * timer's interrupt have vectors; all others are faults. The entry calls
 * board_prepare and board_run (start.c).
 */
  .syntax unified
  .arm
  .section .vectors, "ax", %progbits
  .globl start
start:
#if defined(__ARM_BIG_ENDIAN)
  setend be /* first: all data, literals included, are big-endian */
  mrc p15, 0, r0, c1, c0, 0
  orr r0, r0, #(1 << 25) /* SCTLR.EE: the same in exceptions */
  mcr p15, 0, r0, c1, c0, 0
#endif
  ldr r0, =vectors
  mcr p15, 0, r0, c12, c0, 0 /* VBAR */
  mrc p15, 0, r0, c1, c0, 2
  orr r0, r0, #(0xf << 20) /* CPACR: FPU and NEON are off after reset */
  mcr p15, 0, r0, c1, c0, 2
  isb
  mov r0, #(1 << 30) /* FPEXC.EN */
  .fpu neon
  vmsr fpexc, r0
  ldr sp, =stack_top
  bl board_prepare
  bl board_run

  .balign 32
vectors:
  b start
  b undefined
  b supervisor_call
  b prefetch_abort
  b data_abort
  b hypervisor_call
  b timer_interrupt
  b fast_interrupt

  /* The cause that is reported is the number of the vector. lr is the
   * instruction's address plus 4, or plus 8 for a data abort. */
undefined:
  mov r0, #1
  b fault
supervisor_call:
  mov r0, #2
  b fault
prefetch_abort:
  mov r0, #3
  b fault
data_abort:
  mov r0, #4
  sub lr, lr, #4
  b fault
hypervisor_call:
  mov r0, #5
  b fault
fast_interrupt:
  mov r0, #7
fault:
  sub r1, lr, #4
  ldr sp, =stack_top /* this mode has no stack */
  bl board_fault

  /* The handler of the timer, unless the program defines another one. It uses
   * the stack of supervisor mode. */
  .section .text.timer_interrupt, "ax", %progbits
  .weak timer_interrupt
timer_interrupt:
  sub lr, lr, #4
  srsdb sp!, #0x13
  cps #0x13
  push {r0-r3, r12, lr}
  and r1, sp, #4
  sub sp, sp, r1
  push {r1, lr}
  bl timer_tick
  pop {r1, lr}
  add sp, sp, r1
  pop {r0-r3, r12, lr}
  rfeia sp!

  /* Calls PSCI's SYSTEM_RESET, which QEMU itself implements. */
  .section .text.board_reset, "ax", %progbits
  .globl board_reset
board_reset:
  movw r0, #9
  movt r0, #0x8400
  .arch_extension virt
  hvc #0
  b .

  .section .note.GNU-stack, "", %progbits
