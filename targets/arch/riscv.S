/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * RISC-V, 32 and 64 bits, machine mode: the entry of all harts, and of
 * traps. Hart 0 calls board_prepare and board_run (start.c), the other harts
 * call board_secondary (riscv.c).
 */
#include "riscv.h"

  .section .vectors, "ax", %progbits
  .globl start
start:
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la t0, trap
  csrw mtvec, t0
#if defined(__riscv_flen)
  li t0, 1 << 13 /* mstatus.FS: the FPU is off after reset */
  csrs mstatus, t0
#endif
  csrr a0, mhartid
  bnez a0, other
  la sp, stack_top
  call board_prepare
  call release_harts
  call board_run

  /* Until hart 0 sends the software interrupt, memory is not ready and there is
   * no stack. mstatus.MIE is 0: the interrupt ends the wait, and no handler
   * runs. */
other:
  li t0, HART_MAX
  bgeu a0, t0, sleep
  csrwi mie, MSIE
wait:
  wfi
  csrr t0, mip
  andi t0, t0, MSIE
  beqz t0, wait
  csrw mie, zero
  li t0, CLINT
  slli t1, a0, 2
  add t0, t0, t1
  sw zero, 0(t0)
  la sp, hart_stacks
  li t0, HART_STACK
  mul t0, t0, a0
  add sp, sp, t0
  call board_secondary
sleep:
  csrw mie, zero
  wfi
  j sleep

  /* A bad stack may be the reason for a fault, from which no code returns. So
   * the stack pointer is set to the top again. For an interrupt, the handler in
   * C saves all registers. */
  .balign 4
trap:
  csrw mscratch, t0
  csrr t0, mcause
  bltz t0, interrupt
  la sp, stack_top
  mv a0, t0
  csrr a1, mepc
  call board_fault
interrupt:
  csrr t0, mscratch
  j timer_interrupt

  .section .note.GNU-stack, "", %progbits
