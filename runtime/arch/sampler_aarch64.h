/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * AArch64 in EL1, either byte order: saves every register that C may change,
 * except floating-point registers, on the interrupted stack.
 */
  .section .text.bareprof_sampler_interrupt, "ax", %progbits
  .globl bareprof_sampler_interrupt
  .type bareprof_sampler_interrupt, %function
bareprof_sampler_interrupt:
  stp x29, x30, [sp, #-192]!
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  stp x8, x9, [sp, #80]
  stp x10, x11, [sp, #96]
  stp x12, x13, [sp, #112]
  stp x14, x15, [sp, #128]
  stp x16, x17, [sp, #144]
  mrs x0, elr_el1
  mrs x1, spsr_el1
  stp x0, x1, [sp, #160]
  str x18, [sp, #176]
  mov x1, x30
  mov x2, x29
  bl bareprof_sampler_take
  bl bareprof_sampler_timer
  ldp x0, x1, [sp, #160]
  msr daifset, #2 /* An interrupt would change the next two. */
  msr elr_el1, x0
  msr spsr_el1, x1
  ldr x18, [sp, #176]
  ldp x16, x17, [sp, #144]
  ldp x14, x15, [sp, #128]
  ldp x12, x13, [sp, #112]
  ldp x10, x11, [sp, #96]
  ldp x8, x9, [sp, #80]
  ldp x6, x7, [sp, #64]
  ldp x4, x5, [sp, #48]
  ldp x2, x3, [sp, #32]
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #192
  eret
  .size bareprof_sampler_interrupt, . - bareprof_sampler_interrupt
