/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the macros that mip_helpers.h describes, for 32-bit and 64-bit
 * RISC-V. Without the A extension, interrupts are masked while a function is
 * counted, which needs machine mode. A helper uses 16 bytes of stack, or 32 on
 * RV64. A helper that counts edges (calls by call site) uses 64 or 128 bytes,
 * plus the stack of bareprof_mip_call or bareprof_mip_sampled.
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

  /* Saves a0, and leaves room on the stack for two more registers. The helper
   * may then change a0 and t1. */
  .macro save
  addi sp, sp, -4 * WORD
  STORE a0, 0 * WORD(sp)
  .endm

  .macro registers operation
  \operation a0, 0 * WORD(sp)
  \operation a1, 1 * WORD(sp)
  \operation a2, 2 * WORD(sp)
  \operation a3, 3 * WORD(sp)
  \operation a4, 4 * WORD(sp)
  \operation a5, 5 * WORD(sp)
  \operation ra, 6 * WORD(sp)
  \operation t0, 7 * WORD(sp)
  \operation t2, 8 * WORD(sp)
#if !defined(__riscv_32e) && !defined(__riscv_e)
  \operation a6, 9 * WORD(sp)
  \operation a7, 10 * WORD(sp)
  \operation t3, 11 * WORD(sp)
  \operation t4, 12 * WORD(sp)
  \operation t5, 13 * WORD(sp)
  \operation t6, 14 * WORD(sp)
#endif
  .endm

  .macro save_all
  addi sp, sp, -16 * WORD
  registers STORE
  .endm

  /* Loads the address of the function's raw bytes to t1. The index is the upper
   * half of the `lui` after the call. The `lui` may be at any multiple of 2. */
  .macro from_index shift, offset = 0
  lhu t1, 2(t0)
  lla a0, __bareprof_mip_begin + 24 + \offset
  .if \shift
  slli t1, t1, \shift
  .endif
  add t1, t1, a0
  .endm

  .macro from_address
  lhu a0, 0(t0)
  lh t1, 2(t0)
  slli t1, t1, 16
  or t1, t1, a0
  add t1, t1, t0
  .endm

  .macro cover
  sb zero, 0(t1)
  .endm

#if defined(__riscv_atomic)
  /* Corrects a count that was 2^31 or more before a call added 1. If the count
   * was ~0 ("never called"), the sum is 0; the macro changes it to 1 and gives
   * the function its time. If the sum is above 0xFFFF0000, the macro subtracts
   * the 1 again. The limit is far below ~0, because interrupts may add to the
   * count before the subtraction. If the count is ~0 at the subtraction, a
   * reset came in between, and ~0 stays. The time is taken before the count
   * becomes 1, so that first calls in an interrupt get later times; a dump in
   * between shows a count without a time. */
  .macro first_or_full
  STORE a1, 1 * WORD(sp)
  STORE a2, 2 * WORD(sp)
  lw a0, 0(t1)
  bltz a0, 2f
  lla a0, bareprof_mip_time
  li a1, 1
  amoadd.w a2, a1, (a0)
1:
  lr.w a0, (t1)
  bltz a0, 3f
  addi a0, a0, 1
  sc.w a1, a0, (t1)
  bnez a1, 1b
  sw a2, 4(t1)
  j 3f
2:
  lr.w a0, (t1)
  addi a1, a0, 1
  beqz a1, 3f
  lui a1, 0xFFFF0
  bgeu a1, a0, 3f
  addi a0, a0, -1
  sc.w a1, a0, (t1)
  bnez a1, 2b
3:
  LOAD a1, 1 * WORD(sp)
  LOAD a2, 2 * WORD(sp)
  .endm

  .macro count
  li a0, 1
  amoadd.w a0, a0, (t1)
  bgez a0, 4f
  first_or_full
4:
  .endm

#define BAREPROF_MIP_FIRST
#else
  /* A count of ~0 becomes 1; a count of ~0 - 1, the maximum, stays. */
  .macro count
  STORE a1, 1 * WORD(sp)
  STORE a2, 2 * WORD(sp)
  csrrci a2, mstatus, 8 /* Clears MIE: interrupts are off. */
  lw a0, 4(t1)
  addi a0, a0, 1
  bnez a0, 1f
  lla a1, bareprof_mip_time
  lw a0, 0(a1)
  sw a0, 4(t1)
  addi a0, a0, 1
  sw a0, 0(a1)
1:
  lw a0, 0(t1)
  addi a0, a0, 1
  seqz a1, a0
  add a0, a0, a1
  addi a1, a0, 1
  seqz a1, a1
  sub a0, a0, a1
  sw a0, 0(t1)
  andi a2, a2, 8
  csrs mstatus, a2
  LOAD a1, 1 * WORD(sp)
  LOAD a2, 2 * WORD(sp)
  .endm
#endif

  .macro edge function
  mv a0, t1
  mv a1, ra
  call \function
  .endm

  /* mip_step.S uses these two macros. An inline sled has decremented the word
   * `left` (mip_sampled.c), whose address is in t1. */
#define BAREPROF_MIP_INLINE
  .macro from_inline
  addi t1, t1, -8
  .endm

  .macro restore_inline
  restore_all 0
  .endm

#if defined(__riscv_atomic) && __riscv_xlen == 32
  /* Takes most samples in half the time of bareprof_mip_sampled, a C function
   * for which all registers are saved. The macro takes the sample if three
   * things are true: the function has several call sites, its span
   * (mip_sampled.c) has full length, and a search finds the edge in the first
   * entry. Otherwise the code after the macro calls bareprof_mip_sampled. */
#define BAREPROF_MIP_SOON
  .weak bareprof_mip_edges
  .macro keep_five operation
  \operation a0, 0(sp)
  \operation a1, 4(sp)
  \operation a2, 8(sp)
  \operation a3, 12(sp)
  \operation a4, 16(sp)
  .endm

  .macro sample_soon
  addi sp, sp, -32
  keep_five sw
  lui a4, %hi(bareprof_mip_edges)
  addi a4, a4, %lo(bareprof_mip_edges)
  lw a0, -8(t1)
  lw a1, 4(t1)
  beqz a4, 1f
  lw a2, 8(a4)
  addi a0, a0, 1
  srli a3, a0, 3
  andi a1, a1, 1
  bltz a0, 1f
  beqz a1, 1f
  bltu a3, a2, 1f
  /* a0: calls until the next sample; a2: calls in the span of this sample */
  neg a1, a2
  and a1, a1, a0
  add a1, a1, a2
  sub a0, a1, a0
  srli a1, a1, 1
  srli a3, a1, 2
  add a1, a1, a3
  srli a3, a3, 4
  sub a1, a1, a3
  addi a3, a2, -1
  and a1, a1, a3
  add a0, a0, a1
  /* a1: address of the edge */
  srli a1, ra, 1
  srli a3, ra, 8
  add a1, a1, a3
  srli a3, t1, 2
  add a1, a1, a3
  lw a3, 4(a4)
  addi a1, a1, -2
  addi a3, a3, -1
  and a1, a1, a3
  lw a4, 0(a4)
  slli a3, a1, 3
  slli a1, a1, 2
  add a1, a1, a3
  add a1, a1, a4
  lw a3, 0(a1)
  lw a4, 4(a1)
  addi a3, a3, 8
  bne a3, t1, 1f
  bne a4, ra, 1f
  addi a1, a1, 8
  amoadd.w zero, a2, (a1)
  addi a1, t1, -8
  amoadd.w zero, a0, (a1)
  amoadd.w zero, a0, (t1)
  keep_five lw
  addi sp, sp, 32
  jr t0
1:
  keep_five lw
  addi sp, sp, 32
  .endm
#endif

  /* This macro is the body of bareprof_mip_step_index. */
#define BAREPROF_MIP_STEP
  .macro step_index
  save
  from_index 4, 8
#if defined(__riscv_atomic)
  li a0, -1
  amoadd.w a0, a0, (t1)
  blez a0, 1f
#else
  lw a0, 0(t1)
  addi a0, a0, -1
  sw a0, 0(t1)
  bltz a0, 1f
#endif
  restore
1:
  LOAD a0, 0 * WORD(sp)
  addi sp, sp, 4 * WORD
  save_all
  from_inline
  edge bareprof_mip_sampled
  restore_all
  .endm

  .macro restore
  LOAD a0, 0 * WORD(sp)
  addi sp, sp, 4 * WORD
  jr 4(t0)
  .endm

  /* `argument` is the size of the argument after the call: 4 bytes, or 0. */
  .macro restore_all argument = 4
  registers LOAD
  addi sp, sp, 16 * WORD
  jr \argument(t0)
  .endm
