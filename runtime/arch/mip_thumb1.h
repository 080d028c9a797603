/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The macros of mip.h for Thumb without LDREX or IT: ARMv6-M and v8-M Baseline.
 * Interrupts are masked while a function is counted. A helper uses 24 bytes of
 * stack; for edges 32 bytes, and the stack of bareprof_mip_call.
 */
#define BAREPROF_MIP_HELPERS
  .syntax unified
  .thumb

  /* On return, the saved lr is loaded to pc, and ip to lr. */
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
  ldrh r0, [r1]
  ldrh r2, [r1, #2]
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
1: /* A count of ~0 becomes 1; ~0 - 1 stays. */
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
