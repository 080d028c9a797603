/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * RISC-V in machine mode, 32 and 64 bits: saves every register that C may
 * change, except floating-point registers, on the interrupted stack. The ABI
 * keeps that stack aligned to 16.
 */
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

  .section .text.bareprof_sampler_interrupt, "ax", @progbits
  .globl bareprof_sampler_interrupt
  .type bareprof_sampler_interrupt, @function
  .balign 4 /* mtvec may hold this address. */
bareprof_sampler_interrupt:
  addi sp, sp, -BYTES
  SAVE a0, 0 * WORD(sp)
  SAVE a1, 1 * WORD(sp)
  SAVE a2, 2 * WORD(sp)
  SAVE a3, 3 * WORD(sp)
  SAVE a4, 4 * WORD(sp)
  SAVE a5, 5 * WORD(sp)
  SAVE t0, 6 * WORD(sp)
  SAVE t1, 7 * WORD(sp)
  SAVE t2, 8 * WORD(sp)
  SAVE ra, 9 * WORD(sp)
#ifndef __riscv_e
  SAVE a6, 10 * WORD(sp)
  SAVE a7, 11 * WORD(sp)
  SAVE t3, 12 * WORD(sp)
  SAVE t4, 13 * WORD(sp)
  SAVE t5, 14 * WORD(sp)
  SAVE t6, 15 * WORD(sp)
#endif
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
  csrci mstatus, 8 /* An interrupt would change the next two. */
  csrw mepc, a0
  csrw mstatus, a1
#ifndef __riscv_e
  LOAD a6, 10 * WORD(sp)
  LOAD a7, 11 * WORD(sp)
  LOAD t3, 12 * WORD(sp)
  LOAD t4, 13 * WORD(sp)
  LOAD t5, 14 * WORD(sp)
  LOAD t6, 15 * WORD(sp)
#endif
  LOAD a0, 0 * WORD(sp)
  LOAD a1, 1 * WORD(sp)
  LOAD a2, 2 * WORD(sp)
  LOAD a3, 3 * WORD(sp)
  LOAD a4, 4 * WORD(sp)
  LOAD a5, 5 * WORD(sp)
  LOAD t0, 6 * WORD(sp)
  LOAD t1, 7 * WORD(sp)
  LOAD t2, 8 * WORD(sp)
  LOAD ra, 9 * WORD(sp)
  addi sp, sp, BYTES
  mret
  .size bareprof_sampler_interrupt, . - bareprof_sampler_interrupt
