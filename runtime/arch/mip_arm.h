/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arm with LDREX: Thumb-2, and A32, whose callers may be in Thumb state: bit
 * 0 of lr tells. Stack: 24 bytes; for edges 32, and bareprof_mip_call's.
 */
#define BAREPROF_MIP_HELPERS
  .syntax unified
#if defined(__thumb__)
  .thumb
#else
  .arm
#endif

  /* Frees r0, r1, ip and lr. On return, the saved lr is loaded to pc, and the
   * saved ip to lr. */
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
  /* Half a word in Thumb state, else a word. */
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
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  ldrh r0, [r1, #2]
  ldrh r1, [r1]
#else
  ldrh r0, [r1]
  ldrh r1, [r1, #2]
#endif
  orr r0, r0, r1, lsl #16
  add lr, lr, #4
  str lr, [sp, #frame - 4]
  .endm

  .macro cover
  mov r1, #0
  strb r1, [r0]
  .endm

  /* ip keeps the flags. The time is stored first, so that an interrupt gets a
   * later one. */
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
2: /* ~0 becomes 1; the count stops at ~0 - 1. */
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

  /* An inline sled has counted down. */
#define BAREPROF_MIP_INLINE
  .macro from_inline
  from_address
  .endm

  .macro restore_inline
  restore_all
  .endm

#if defined(__thumb__)
  /* A call of a function by number. No instruction that
   * changes flags. */
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
