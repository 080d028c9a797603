/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * long bareprof_semihosting_call(long operation, void *block): executes the
 * trap that a debugger takes for a semihosting request. Arguments and result
 * are in the registers of the C calling convention. On architectures without
 * semihosting the function is missing, and a program that calls it does not
 * link.
 */
#if defined(__arm__) || defined(__aarch64__) || defined(__riscv)
  .section .text.bareprof_semihosting_call, "ax", %progbits
  .globl bareprof_semihosting_call
  .type bareprof_semihosting_call, %function

#if defined(__arm__) && __ARM_ARCH_PROFILE == 'M'
  .syntax unified
  .thumb
bareprof_semihosting_call:
  bkpt 0xab
  bx lr

#elif defined(__arm__)
  .syntax unified
#if defined(__thumb__)
  .thumb
#define NUMBER 0xab
#else
  .arm
#define NUMBER 0x123456
#endif
bareprof_semihosting_call:
  push {r3, lr} /* In supervisor mode, svc overwrites lr. */
  svc NUMBER
  pop {r3, pc}

#elif defined(__aarch64__)
bareprof_semihosting_call:
  hlt 0xf000
  ret

#elif defined(__riscv)
  /* A debugger recognises the ebreak from the instructions before and after it,
   * and reads all three at once. So the three must be uncompressed, and must
   * not cross a page border. */
  .option push
  .option norvc
  .option norelax
  .balign 16
bareprof_semihosting_call:
  slli zero, zero, 0x1f
  ebreak
  srai zero, zero, 7
  ret
  .option pop
#endif

  .size bareprof_semihosting_call, . - bareprof_semihosting_call
#endif

  .section .note.GNU-stack, "", %progbits
