/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines for Arm the macros that mip_helpers.h describes. A helper uses 24
 * bytes of stack. A helper that counts edges (calls by call site) uses 32
 * bytes, plus the stack of bareprof_mip_call.
 */
#define BAREPROF_MIP_HELPERS
  .syntax unified
#if defined(__thumb__)
  .thumb
#else
  .arm
#endif

/* The offsets of the halves of a .word in the code. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOW_HALF 2
#define HIGH_HALF 0
#else
#define LOW_HALF 0
#define HIGH_HALF 2
#endif

#if defined(__thumb__) && !defined(__thumb2__)
/* This variant is for cores without LDREX or IT: ARMv6-M and v8-M Baseline.
 * Interrupts are masked while a function is counted. */

  /* When the helper returns, it loads the saved lr to pc, and ip to lr. */
  .macro save
  push {r0-r4, lr}
  mrs r4, apsr
  .set frame, 24
  .endm

  .macro save_all
  push {r0-r6, lr}
  mrs r4, apsr
  mov r5, ip
  .set frame, 32
  .endm

  .macro from_index shift
  mov r0, lr
  subs r0, #1
  ldrh r1, [r0]
  adds r0, #3
  str r0, [sp, #frame - 4]
  ldr r0, =__bareprof_mip_begin + 24
  .if \shift
  lsls r1, r1, #\shift
  .endif
  adds r0, r0, r1
  .endm

  .macro from_address
  mov r1, lr
  subs r1, #1
  ldrh r0, [r1, #LOW_HALF]
  ldrh r2, [r1, #HIGH_HALF]
  lsls r2, r2, #16
  orrs r0, r2
  adds r1, #5
  str r1, [sp, #frame - 4]
  .endm

  .macro cover
  movs r1, #0
  strb r1, [r0]
  .endm

  .macro count
  mrs r3, primask
  cpsid i
  ldr r1, [r0, #4]
  adds r1, r1, #1
  bne 1f
  ldr r2, =bareprof_mip_time
  ldr r1, [r2]
  str r1, [r0, #4]
  adds r1, r1, #1
  str r1, [r2]
1: /* A count of ~0 becomes 1; a count of ~0 - 1, the maximum, stays. */
  ldr r1, [r0]
  movs r2, #0
  adds r1, r1, #1
  adcs r1, r2
  adds r2, r1, #1
  beq 2f
  str r1, [r0]
2:
  msr primask, r3
  .endm

  .macro edge function
  mov r1, r5
  bl \function
  mov ip, r5
  .endm

  .macro restore
  msr apsr_nzcvq, r4
  mov lr, ip
  pop {r0-r4, pc}
  .ltorg
  .endm

  .macro restore_all
  msr apsr_nzcvq, r4
  mov lr, ip
  pop {r0-r6, pc}
  .ltorg
  .endm

#else
/* This variant is for cores with LDREX, in Thumb-2 or A32. A caller of an A32
 * helper may be in Thumb state; then bit 0 of lr is set. */

  /* Saves r0, r1, ip and lr, so that the helper may change them. When the
   * helper returns, it loads the saved lr to pc, and the saved ip to lr. */
  .macro save
  push {r0, r1, ip, lr}
  .set frame, 16
  .endm

  .macro save_all
  push {r0-r5, ip, lr}
  .set frame, 32
  .endm

#if __ARM_ARCH_PROFILE == 'M'
  .macro from_index shift
  ldrh r0, [lr, #-1]
  add lr, lr, #2
  str lr, [sp, #frame - 4]
  ldr r1, =__bareprof_mip_begin + 24
  add r0, r1, r0, lsl #\shift
  .endm
#else
  /* The index after the call has 2 bytes in Thumb state, 4 in Arm state. */
  .macro from_index shift
  bic r1, lr, #1
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  and r0, lr, #1
  sub r1, r1, r0, lsl #1
  ldrh r0, [r1, #2]
#else
  ldrh r0, [r1]
#endif
  and r1, lr, #1
  add lr, lr, #4
  sub lr, lr, r1, lsl #1
  str lr, [sp, #frame - 4]
  ldr r1, =__bareprof_mip_begin + 24
  add r0, r1, r0, lsl #\shift
  .endm
#endif

  .macro from_address
  bic r1, lr, #1
  ldrh r0, [r1, #LOW_HALF]
  ldrh r1, [r1, #HIGH_HALF]
  orr r0, r0, r1, lsl #16
  add lr, lr, #4
  str lr, [sp, #frame - 4]
  .endm

  .macro cover
  mov r1, #0
  strb r1, [r0]
  .endm

  /* The condition flags are saved in ip. The function's time is stored before
   * the count, so that first calls in an interrupt get later times. */
  .macro count
  mrs ip, apsr
  ldr r1, [r0, #4]
  adds r1, r1, #1
  bne 2f
  push {r2, r3}
  ldr r3, =bareprof_mip_time
1:
  ldrex r1, [r3]
  add r2, r1, #1
  strex lr, r2, [r3]
  cmp lr, #0
  bne 1b
  str r1, [r0, #4]
  pop {r2, r3}
2: /* A count of ~0 becomes 1; a count of ~0 - 1, the maximum, stays. */
  ldrex r1, [r0]
  adds r1, r1, #1
  adc r1, r1, #0
  cmn r1, #1
  it cs
  subcs r1, r1, #1
  strex lr, r1, [r0]
  cmp lr, #0
  bne 2b
  msr apsr_nzcvq, ip
  .endm

  .macro edge function
  mrs r4, apsr
  mov r1, ip
  bl \function
  msr apsr_nzcvq, r4
  .endm

  /* mip_step.S uses these two macros. An inline sled has decremented the word
   * `left` (mip_sampled.c), and calls the helper if the call is a sample. */
#define BAREPROF_MIP_INLINE
  .macro from_inline
  from_address
  .endm

  .macro restore_inline
  restore_all
  .endm

#if defined(__thumb__)
  /* This macro is the body of bareprof_mip_step_index. If the call is not a
   * sample, the condition flags stay unchanged. */
#define BAREPROF_MIP_STEP
  .macro step_index
  save
  from_index 4
  ldr r1, [r0, #8]
  sub r1, r1, #1
  str r1, [r0, #8]
  lsr r1, r1, #31
  cbnz r1, 1f
  restore
1:
  push {r2-r5}
  edge bareprof_mip_sampled
  pop {r2-r5}
  restore
  .endm
#endif

  .macro restore
  ldr lr, [sp, #8]
  pop {r0, r1, ip, pc}
  .ltorg
  .endm

  .macro restore_all
  ldr lr, [sp, #24]
  pop {r0-r5, ip, pc}
  .ltorg
  .endm
#endif
