/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Cortex-M, ARMv6-M to v8.1-M. On entry the hardware has saved the registers
 * that C may change on the stack that bit 2 of EXC_RETURN names: r0 to r3, r12,
 * lr, pc, xpsr. If it has also saved floating-point registers, they follow
 * these eight.
 *
 * With TrustZone, bit 6 of EXC_RETURN is 1 if that stack is Secure, and bit 0
 * is 1 if the running handler is Secure. If a Secure handler has interrupted
 * Non-secure code, the registers are on a Non-secure stack. Then bit 2 is not
 * valid, because it is the Secure SPSEL; the SPSEL bit of CONTROL_NS names the
 * stack (it is 0 if the interrupted code was a handler). Non-secure handlers
 * cannot read the stack of Secure code, so they take no sample of it. Without
 * TrustZone bits 0 and 6 are equal.
 */
#include "../weak_hooks.h"

  .syntax unified
  .thumb
  .section .text.bareprof_sampler_interrupt, "ax", %progbits
  .globl bareprof_sampler_interrupt
  .type bareprof_sampler_interrupt, %function
  .thumb_func
bareprof_sampler_interrupt:
  push {r3, lr} /* r3: the stack stays aligned to 8. */
  mov r1, lr
  add r0, sp, #8
#if defined __ARM_ARCH && __ARM_ARCH >= 8
  lsls r2, r1, #25 /* S to the sign; */
  lsrs r2, r2, #31
  lsls r3, r1, #31
  lsrs r3, r3, #31 /* ES */
  cmp r2, r3
  beq 6f
  bhi 4f
  mrs r0, msp_ns
  mrs r2, control_ns
  lsls r2, r2, #30 /* SPSEL to the sign; */
  bpl 1f
  mrs r0, psp_ns
  b 1f
6:
#endif
  lsls r1, r1, #29
  bpl 1f
  mrs r0, psp
1:
  ldr r1, [r0, #20]
  ldr r0, [r0, #24]
  /* Compilers also use lr for data. An even number cannot be a return address,
   * and would only use up an entry in a table. */
  lsls r2, r1, #31
  bmi 2f
  movs r1, #0
2:
  mov r2, r7
  ldr r3, 3f
  cmp r3, #0
  beq 4f
  ldr r3, [r3, #24] /* take; sampler.h asserts its offset */
  blx r3
4:
  bl bareprof_sampler_timer
  pop {r3, pc}
  .align 2
3:
  .word bareprof_sampler
  .size bareprof_sampler_interrupt, . - bareprof_sampler_interrupt
