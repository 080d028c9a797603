/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines bareprof_sampler_interrupt, the entry of a timer's interrupt. The
 * code takes a sample of the interrupted code, calls bareprof_sampler_timer,
 * and returns from the interrupt. bareprof_sampler.h has the requirements for
 * the vector. The timer's handler may enable interrupts, because the registers
 * that the return needs have been saved.
 */
#if defined(__arm__) || defined(__aarch64__) || defined(__riscv)
  .section .text.bareprof_sampler_interrupt, "ax", %progbits
  .globl bareprof_sampler_interrupt
  .type bareprof_sampler_interrupt, %function

#if defined(__arm__) && __ARM_ARCH_PROFILE == 'M'
/* This part is for Cortex-M cores from ARMv6-M to v8.1-M. On entry the hardware
 * has saved the registers that C may change: r0 to r3, r12, lr, pc and xpsr.
 * They are on the stack that bit 2 of EXC_RETURN names. If the hardware has
 * also saved floating-point registers, they follow these eight registers.
 *
 * With TrustZone, bit 6 of EXC_RETURN is 1 if that stack is Secure, and bit 0
 * is 1 if the running handler is Secure. If a Secure handler has interrupted
 * Non-secure code, the registers are on a Non-secure stack. Then bit 2 is not
 * valid, because it is the Secure SPSEL. The SPSEL bit of CONTROL_NS names the
 * stack; this bit is 0 if the interrupted code was a handler. Non-secure
 * handlers cannot read the stack of Secure code, so they take no sample of it.
 * Without TrustZone, bits 0 and 6 are equal. If a Secure handler directly
 * follows a Non-secure one that had interrupted Secure code, bit 5 is 0: 40
 * bytes, a signature and r4 to r11, are below the eight registers. */
#include "../weak_hooks.h"

  .syntax unified
  .thumb
  .thumb_func
bareprof_sampler_interrupt:
  push {r3, lr} /* r3 keeps the stack aligned to 8. */
  mov r1, lr
  add r0, sp, #8
#if defined __ARM_ARCH && __ARM_ARCH >= 8
  lsls r2, r1, #25 /* bit 6: Secure stack */
  lsrs r2, r2, #31
  lsls r3, r1, #31
  lsrs r3, r3, #31 /* bit 0: Secure handler */
  cmp r2, r3
  beq 6f
  bhi 4f
  mrs r0, msp_ns
  mrs r2, control_ns
  lsls r2, r2, #30 /* The sign bit is now SPSEL. */
  bpl 1f
  mrs r0, psp_ns
  b 1f
6:
#endif
  lsls r2, r1, #29
  bpl 1f
  mrs r0, psp
1:
#if defined __ARM_ARCH && __ARM_ARCH >= 8
  lsls r1, r1, #26
  bmi 1f
  adds r0, #40
1:
#endif
  ldr r1, [r0, #20]
  ldr r0, [r0, #24]
  /* Compilers also use lr for data. An even number cannot be a return address,
   * and would only use up an entry in a table of samples. */
  lsls r2, r1, #31
  bmi 2f
  movs r1, #0
2:
  mov r2, r7
  ldr r3, 3f
  cmp r3, #0
  beq 4f
  ldr r3, [r3, #24] /* the member take; sampler.h asserts its offset */
  blx r3
4:
  bl bareprof_sampler_timer
  pop {r3, pc}
  .align 2
3:
  .word bareprof_sampler

#elif defined(__arm__)
/* This part is for ARMv7-A in either byte order. The interrupt's mode lacks a
 * stack, so everything is saved on the stack of supervisor mode, where
 * interrupts may nest. */
  .syntax unified
  .arm
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
  and r3, sp, #4 /* The interrupted code may have an unaligned stack. */
  sub sp, sp, r3
  push {r3, lr}
  bl bareprof_sampler_take
  bl bareprof_sampler_timer
  pop {r3, lr}
  add sp, sp, r3
  pop {r0-r3, r12, lr}
  rfeia sp!

#elif defined(__aarch64__)
/* This part is for AArch64 in EL1, in either byte order. The code saves every
 * register that C may change, except floating-point registers, on the
 * interrupted stack. */
  .macro pairs operation
  \operation x0, x1, [sp, #16]
  \operation x2, x3, [sp, #32]
  \operation x4, x5, [sp, #48]
  \operation x6, x7, [sp, #64]
  \operation x8, x9, [sp, #80]
  \operation x10, x11, [sp, #96]
  \operation x12, x13, [sp, #112]
  \operation x14, x15, [sp, #128]
  \operation x16, x17, [sp, #144]
  .endm

bareprof_sampler_interrupt:
  stp x29, x30, [sp, #-192]!
  pairs stp
  mrs x0, elr_el1
  mrs x1, spsr_el1
  stp x0, x1, [sp, #160]
  str x18, [sp, #176]
  mov x1, x30
  mov x2, x29
  bl bareprof_sampler_take
  bl bareprof_sampler_timer
  ldp x0, x1, [sp, #160]
  msr daifset, #2 /* An interrupt would change the next two registers. */
  msr elr_el1, x0
  msr spsr_el1, x1
  ldr x18, [sp, #176]
  pairs ldp
  ldp x29, x30, [sp], #192
  eret

#elif defined(__riscv)
/* This part is for RISC-V in machine mode, with 32 or 64 bits. The code saves
 * every register that C may change, except floating-point registers, on the
 * interrupted stack. The ABI keeps that stack aligned to 16. */
#if __riscv_xlen == 64
#define SAVE sd
#define LOAD ld
#define WORD 8
#else
#define SAVE sw
#define LOAD lw
#define WORD 4
#endif
#define BYTES ((18 * WORD + 15) / 16 * 16)

  .macro registers operation
  \operation a0, 0 * WORD(sp)
  \operation a1, 1 * WORD(sp)
  \operation a2, 2 * WORD(sp)
  \operation a3, 3 * WORD(sp)
  \operation a4, 4 * WORD(sp)
  \operation a5, 5 * WORD(sp)
  \operation t0, 6 * WORD(sp)
  \operation t1, 7 * WORD(sp)
  \operation t2, 8 * WORD(sp)
  \operation ra, 9 * WORD(sp)
#ifndef __riscv_e
  \operation a6, 10 * WORD(sp)
  \operation a7, 11 * WORD(sp)
  \operation t3, 12 * WORD(sp)
  \operation t4, 13 * WORD(sp)
  \operation t5, 14 * WORD(sp)
  \operation t6, 15 * WORD(sp)
#endif
  .endm

  .balign 4 /* mtvec may hold this address. */
bareprof_sampler_interrupt:
  addi sp, sp, -BYTES
  registers SAVE
  csrr a0, mepc
  csrr a1, mstatus
  SAVE a0, 16 * WORD(sp)
  SAVE a1, 17 * WORD(sp)
  mv a1, ra
  mv a2, s0
  call bareprof_sampler_take
  call bareprof_sampler_timer
  LOAD a0, 16 * WORD(sp)
  LOAD a1, 17 * WORD(sp)
  csrci mstatus, 8 /* An interrupt would change the next two registers. */
  csrw mepc, a0
  csrw mstatus, a1
  registers LOAD
  addi sp, sp, BYTES
  mret
#endif

  .size bareprof_sampler_interrupt, . - bareprof_sampler_interrupt
#endif

  .section .note.GNU-stack, "", %progbits
