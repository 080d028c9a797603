/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * RISC-V, 32 and 64 bits; without the A extension interrupts are masked while
 * a function is counted, which needs machine mode. Stack: 16 bytes, on RV64
 * 32; for edges 64 or 128, and bareprof_mip_call's.
 */
#define BAREPROF_MIP_HELPERS
#if __riscv_xlen == 64
#define WORD 8
#define STORE sd
#define LOAD ld
#else
#define WORD 4
#define STORE sw
#define LOAD lw
#endif

  /* a0, a1, a2 and t1 are free then. */
  .macro save
  addi sp, sp, -4 * WORD
  STORE a0, 0 * WORD(sp)
  STORE a1, 1 * WORD(sp)
  STORE a2, 2 * WORD(sp)
  .endm

  .macro save_all
  addi sp, sp, -16 * WORD
  STORE a0, 0 * WORD(sp)
  STORE a1, 1 * WORD(sp)
  STORE a2, 2 * WORD(sp)
  STORE a3, 3 * WORD(sp)
  STORE a4, 4 * WORD(sp)
  STORE a5, 5 * WORD(sp)
  STORE ra, 6 * WORD(sp)
  STORE t0, 7 * WORD(sp)
  STORE t2, 8 * WORD(sp)
#if !defined(__riscv_32e) && !defined(__riscv_e)
  STORE a6, 9 * WORD(sp)
  STORE a7, 10 * WORD(sp)
  STORE t3, 11 * WORD(sp)
  STORE t4, 12 * WORD(sp)
  STORE t5, 13 * WORD(sp)
  STORE t6, 14 * WORD(sp)
#endif
  .endm

  /* The number is in bits 12 to 27 of an instruction at a multiple of 2. */
  .macro from_index shift
  lhu a0, 0(t0)
  lhu t1, 2(t0)
  srli a0, a0, 12
  slli t1, t1, 4
  or t1, t1, a0
  .if \shift
  slli t1, t1, \shift
  .endif
  lla a0, __bareprof_mip_begin + 24
  add a0, a0, t1
  .endm

  .macro from_address
  lhu a0, 0(t0)
  lh t1, 2(t0)
  slli t1, t1, 16
  or a0, a0, t1
  add a0, a0, t0
  .endm

  .macro cover
  sb zero, 0(a0)
  .endm

  /* t1, one more than it was: from ~0 to 1; at the end no further than
   * ~0 - 1. */
  .macro one_more
  addi t1, t1, 1
  seqz a1, t1
  add t1, t1, a1
  addi a1, t1, 1
  seqz a1, a1
  sub t1, t1, a1
  .endm

#if defined(__riscv_atomic)
  /* The time first: an interrupt gets a later one. */
  .macro count
  lw t1, 4(a0)
  addi t1, t1, 1
  bnez t1, 1f
  lla a1, bareprof_mip_time
  li t1, 1
  amoadd.w t1, t1, (a1)
  sw t1, 4(a0)
1:
  lr.w t1, (a0)
  one_more
  sc.w a1, t1, (a0)
  bnez a1, 1b
  .endm
#else
  .macro count
  csrrci a2, mstatus, 8 /* MIE */
  lw t1, 4(a0)
  addi t1, t1, 1
  bnez t1, 1f
  lla a1, bareprof_mip_time
  lw t1, 0(a1)
  sw t1, 4(a0)
  addi t1, t1, 1
  sw t1, 0(a1)
1:
  lw t1, 0(a0)
  one_more
  sw t1, 0(a0)
  andi a2, a2, 8
  csrs mstatus, a2
  .endm
#endif

  .macro edge
  mv a1, ra
  call bareprof_mip_call
  .endm

  .macro restore
  LOAD a0, 0 * WORD(sp)
  LOAD a1, 1 * WORD(sp)
  LOAD a2, 2 * WORD(sp)
  addi sp, sp, 4 * WORD
  jr 4(t0)
  .endm

  .macro restore_all
  LOAD a0, 0 * WORD(sp)
  LOAD a1, 1 * WORD(sp)
  LOAD a2, 2 * WORD(sp)
  LOAD a3, 3 * WORD(sp)
  LOAD a4, 4 * WORD(sp)
  LOAD a5, 5 * WORD(sp)
  LOAD ra, 6 * WORD(sp)
  LOAD t0, 7 * WORD(sp)
  LOAD t2, 8 * WORD(sp)
#if !defined(__riscv_32e) && !defined(__riscv_e)
  LOAD a6, 9 * WORD(sp)
  LOAD a7, 10 * WORD(sp)
  LOAD t3, 11 * WORD(sp)
  LOAD t4, 12 * WORD(sp)
  LOAD t5, 13 * WORD(sp)
  LOAD t6, 14 * WORD(sp)
#endif
  addi sp, sp, 16 * WORD
  jr 4(t0)
  .endm
