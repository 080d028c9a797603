/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines for AArch64 the macros that mip_helpers.h describes. A helper uses 32
 * bytes of stack. A helper that counts edges (calls by call site) uses 176
 * bytes, plus the stack of bareprof_mip_call. A helper returns with ret,
 * because a br would need a landing pad at its target.
 */
#define BAREPROF_MIP_HELPERS

  /* Saves x0 to x3. The helper may then change x0 to x3 and x17. */
  .macro save
  stp x0, x1, [sp, #-32]!
  stp x2, x3, [sp, #16]
  .endm

  .macro pairs operation
  \operation x2, x3, [sp, #16]
  \operation x4, x5, [sp, #32]
  \operation x6, x7, [sp, #48]
  \operation x8, x9, [sp, #64]
  \operation x10, x11, [sp, #80]
  \operation x12, x13, [sp, #96]
  \operation x14, x15, [sp, #112]
  .endm

  .macro save_all
  stp x0, x1, [sp, #-176]!
  pairs stp
  mrs x17, nzcv
  stp x17, x18, [sp, #128]
  .endm

  .macro from_index shift
  ldr w17, [x30], #4
  adrp x0, __bareprof_mip_begin + 24
  add x0, x0, :lo12:__bareprof_mip_begin + 24
  add x0, x0, w17, uxtw #\shift
  .endm

  .macro from_address
  ldrsw x17, [x30]
  add x0, x30, x17
  add x30, x30, #4
  .endm

  .macro cover
  strb wzr, [x0]
  .endm

  /* No instruction here changes the condition flags. The function's time is
   * stored before the count, so that first calls in an interrupt get later
   * times. */
  .macro count
  ldr w1, [x0, #4]
  add w1, w1, #1
  cbnz w1, 2f
  adrp x3, bareprof_mip_time
  add x3, x3, :lo12:bareprof_mip_time
1:
  ldxr w1, [x3]
  add w2, w1, #1
  stxr w17, w2, [x3]
  cbnz w17, 1b
  str w1, [x0, #4]
2: /* A count of ~0 becomes 1; a count of ~0 - 1, the maximum, stays. */
  ldxr w1, [x0]
  add w1, w1, #1
  cbnz w1, 3f
  mov w1, #1
3:
  mvn w2, w1
  cbz w2, 4f
  stxr w17, w1, [x0]
  cbnz w17, 2b
4:
  .endm

  .macro edge function
  stp x16, x30, [sp, #144]
  mov x1, x16
  bl \function
  ldp x16, x30, [sp, #144]
  .endm

  .macro restore
  ldp x2, x3, [sp, #16]
  ldp x0, x1, [sp], #32
  mov x17, x30
  mov x30, x16
  ret x17
  .endm

  .macro restore_all
  ldp x17, x18, [sp, #128]
  msr nzcv, x17
  pairs ldp
  ldp x0, x1, [sp], #176
  mov x17, x30
  mov x30, x16
  ret x17
  .endm
