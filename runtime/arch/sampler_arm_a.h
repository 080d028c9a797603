/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ARMv7-A, either byte order. The interrupt's mode lacks a stack, so everything
 * is saved on the stack of supervisor mode. Interrupts may nest there.
 */
  .syntax unified
  .arm
  .section .text.bareprof_sampler_interrupt, "ax", %progbits
  .globl bareprof_sampler_interrupt
  .type bareprof_sampler_interrupt, %function
bareprof_sampler_interrupt:
  sub lr, lr, #4
  srsdb sp!, #0x13 /* pc and spsr, to supervisor mode's stack */
  cps #0x13
  push {r0-r3, r12, lr}
  ldr r0, [sp, #24]
  ldr r3, [sp, #28]
  mov r1, lr
  tst r3, #0x20 /* Thumb state has another frame pointer. */
  moveq r2, r11
  movne r2, r7
  and r3, r3, #0x1f
  cmp r3, #0x13
  beq 2f
  /* User and system mode share a link register, which is loaded here. The link
   * registers of other modes cannot be read. */
  mov r1, #0
  cmp r3, #0x10
  cmpne r3, #0x1f
  bne 2f
  sub sp, sp, #4
  stm sp, {lr}^
  nop
  pop {r1}
2:
  and r3, sp, #4 /* The stack may have been interrupted unaligned. */
  sub sp, sp, r3
  push {r3, lr}
  bl bareprof_sampler_take
  bl bareprof_sampler_timer
  pop {r3, lr}
  add sp, sp, r3
  pop {r0-r3, r12, lr}
  rfeia sp!
  .size bareprof_sampler_interrupt, . - bareprof_sampler_interrupt
