/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * void registers_around(void (*function)(void), const uintptr_t *before,
 *                       uintptr_t *after): calls function with all registers
 * that a sled must preserve as in before, and leaves them in after as they are
 * then. Last the flags. REGISTERS in target.c is how many.
 */
#if defined(__arm__)
  /* r0 to r11, flags. */
  .syntax unified
#if defined(__thumb__)
  .thumb
  .thumb_func
#else
  .arm
#endif
  .text
  .balign 4
  .globl registers_around
  .type registers_around, %function
registers_around:
  push {r4-r7, lr}
  mov r4, r8
  mov r5, r9
  mov r6, r10
  mov r7, r11
  push {r2, r4-r7}
  mov ip, r0
  ldr r4, [r1, #32]
  mov r8, r4
  ldr r4, [r1, #36]
  mov r9, r4
  ldr r4, [r1, #40]
  mov r10, r4
  ldr r4, [r1, #44]
  mov r11, r4
  ldr r4, [r1, #48]
  msr apsr_nzcvq, r4
  ldr r0, [r1, #0]
  ldr r2, [r1, #8]
  ldr r3, [r1, #12]
  ldr r4, [r1, #16]
  ldr r5, [r1, #20]
  ldr r6, [r1, #24]
  ldr r7, [r1, #28]
  ldr r1, [r1, #4]
  blx ip
  push {r0-r7}
  mrs r0, apsr
  ldr r1, [sp, #32]
  str r0, [r1, #48]
  mov r0, r8
  str r0, [r1, #32]
  mov r0, r9
  str r0, [r1, #36]
  mov r0, r10
  str r0, [r1, #40]
  mov r0, r11
  str r0, [r1, #44]
  pop {r4-r7}
  str r4, [r1, #0]
  str r5, [r1, #4]
  str r6, [r1, #8]
  str r7, [r1, #12]
  pop {r4-r7}
  str r4, [r1, #16]
  str r5, [r1, #20]
  str r6, [r1, #24]
  str r7, [r1, #28]
  pop {r2, r4-r7}
  mov r8, r4
  mov r9, r5
  mov r10, r6
  mov r11, r7
  pop {r4-r7, pc}

#elif defined(__aarch64__)
  /* x0 to x15, x18 to x29, nzcv. */
  .text
  .globl registers_around
registers_around:
  stp x29, x30, [sp, #-112]!
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  str x2, [sp, #96]
  mov x16, x0
  ldr x2, [x1, #224]
  msr nzcv, x2
  ldp x2, x3, [x1, #16]
  ldp x4, x5, [x1, #32]
  ldp x6, x7, [x1, #48]
  ldp x8, x9, [x1, #64]
  ldp x10, x11, [x1, #80]
  ldp x12, x13, [x1, #96]
  ldp x14, x15, [x1, #112]
  ldp x18, x19, [x1, #128]
  ldp x20, x21, [x1, #144]
  ldp x22, x23, [x1, #160]
  ldp x24, x25, [x1, #176]
  ldp x26, x27, [x1, #192]
  ldp x28, x29, [x1, #208]
  ldp x0, x1, [x1]
  blr x16
  ldr x16, [sp, #96]
  stp x0, x1, [x16]
  stp x2, x3, [x16, #16]
  stp x4, x5, [x16, #32]
  stp x6, x7, [x16, #48]
  stp x8, x9, [x16, #64]
  stp x10, x11, [x16, #80]
  stp x12, x13, [x16, #96]
  stp x14, x15, [x16, #112]
  stp x18, x19, [x16, #128]
  stp x20, x21, [x16, #144]
  stp x22, x23, [x16, #160]
  stp x24, x25, [x16, #176]
  stp x26, x27, [x16, #192]
  stp x28, x29, [x16, #208]
  mrs x0, nzcv
  str x0, [x16, #224]
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp x29, x30, [sp], #112
  ret

#elif defined(__riscv)
  /* t2 to t6, a0 to a7, s0 to s11. */
#if __riscv_xlen == 64
#define WORD 8
#define STORE sd
#define LOAD ld
#else
#define WORD 4
#define STORE sw
#define LOAD lw
#endif
  .macro all what, base
  \what t2, 0 * WORD(\base)
  \what t3, 1 * WORD(\base)
  \what t4, 2 * WORD(\base)
  \what t5, 3 * WORD(\base)
  \what t6, 4 * WORD(\base)
  \what a0, 5 * WORD(\base)
  \what a1, 6 * WORD(\base)
  \what a2, 7 * WORD(\base)
  \what a3, 8 * WORD(\base)
  \what a4, 9 * WORD(\base)
  \what a5, 10 * WORD(\base)
  \what a6, 11 * WORD(\base)
  \what a7, 12 * WORD(\base)
  saved \what, \base, 13
  .endm
  .macro saved what, base, first
  \what s0, (\first + 0) * WORD(\base)
  \what s1, (\first + 1) * WORD(\base)
  \what s2, (\first + 2) * WORD(\base)
  \what s3, (\first + 3) * WORD(\base)
  \what s4, (\first + 4) * WORD(\base)
  \what s5, (\first + 5) * WORD(\base)
  \what s6, (\first + 6) * WORD(\base)
  \what s7, (\first + 7) * WORD(\base)
  \what s8, (\first + 8) * WORD(\base)
  \what s9, (\first + 9) * WORD(\base)
  \what s10, (\first + 10) * WORD(\base)
  \what s11, (\first + 11) * WORD(\base)
  .endm
  .text
  .globl registers_around
registers_around:
  addi sp, sp, -16 * WORD
  saved STORE, sp, 0
  STORE ra, 12 * WORD(sp)
  STORE a2, 13 * WORD(sp)
  mv t1, a0
  mv t0, a1
  all LOAD, t0
  jalr ra, 0(t1)
  LOAD t0, 13 * WORD(sp)
  all STORE, t0
  saved LOAD, sp, 0
  LOAD ra, 12 * WORD(sp)
  addi sp, sp, 16 * WORD
  ret

#endif

  .section .note.GNU-stack, "", %progbits
