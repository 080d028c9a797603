/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions for active_stack of active.sh, which reads stacks at their labels.
 * A label CALLER_CALLEE is the place after a call, FUNCTION_in and _end are
 * others.
 */
.cfi_sections .debug_frame
.text

.macro begin name
  .globl \name
  .type \name, %function
\name:
\name\()_at:
  .cfi_startproc
.endm

.macro end name
  .cfi_endproc
  .size \name, . - \name
.endm

#ifdef __arm__
.syntax unified
.thumb

#define LINK lr
#define NUMBER 14
.macro enter
  push {r4, lr}
  .cfi_def_cfa_offset 8
  .cfi_offset lr, -4
  .cfi_offset r4, -8
.endm
.macro leave
  pop {r4, pc}
.endm
#define CALL bl
#define THROUGH blx r3
#define JUMP b.w
#define RETURN bx lr

#elif defined __aarch64__
.macro enter
  str x30, [sp, #-16]!
  .cfi_def_cfa_offset 16
  .cfi_offset x30, -16
.endm
.macro leave
  ldr x30, [sp], #16
  ret
.endm
#define CALL bl
#define THROUGH blr x3
#define RETURN ret

#else
.macro enter
  addi sp, sp, -16
  .cfi_def_cfa_offset 16
  sw ra, 0(sp)
  .cfi_offset ra, -16
.endm
.macro leave
  lw ra, 0(sp)
  addi sp, sp, 16
  ret
.endm
#define CALL call
#define THROUGH jalr a3
#define RETURN ret
#endif

.macro caller name, callee
  begin \name
  enter
  CALL \callee
\name\()_\callee:
  nop
  leave
  end \name
.endm

  begin leaf
  nop
leaf_in:
  RETURN
  end leaf

  caller first, leaf
  caller second, first

/* Calls what a register says. */
  begin pointing
  enter
  THROUGH
pointing_at_it:
  nop
  leave
  end pointing

/* Never returns, and so does not save the return address. */
  begin staying
  CALL leaf
staying_in:
  THROUGH
staying_pointed:
  nop
  end staying
  caller keeping, staying

#ifdef __riscv
  begin trap
  mret
  end trap
  begin trap_s
  sret
  end trap_s
  begin trap_n
  .insn 4, 0x70200073 /* mnret */
  end trap_n
#endif

#ifdef __aarch64__
  begin trap
  eret
  end trap
  begin trap_a
  .inst 0xd69f0bff /* eretaa */
  end trap_a
  begin trap_b
  .inst 0xd69f0fff /* eretab */
  end trap_b

/* Signs the return address: paciasp, autiasp. */
  begin signing
  hint #25
  .cfi_negate_ra_state
signing_in:
  enter
  CALL leaf
signing_leaf:
  ldr x30, [sp], #16
  hint #29
  .cfi_negate_ra_state
  ret
  end signing
  caller trusting, signing
#endif

#ifdef __arm__
  .thumb_func
  begin trap
  subs pc, lr, #4
  end trap
  .arm
  begin trap_a32
  subs pc, lr, #4
  end trap_a32
  begin trap_ldm
  ldm sp!, {r0, pc}^
  end trap_ldm
  begin trap_movs
  movs pc, lr
  end trap_movs
  begin trap_rfe
  rfeia sp!
  end trap_rfe
  begin trap_eret
  .inst 0xe160006e /* eret */
  end trap_eret
  .thumb
  .thumb_func
  begin trap_rfe_t
  rfedb sp
  end trap_rfe_t
/* Changes the process stack: msr psp, r0 */
  begin switching
  .inst.w 0xF3808809
  bx lr
  end switching

/* Begins with an instruction of four bytes. */
  begin wide
  nop.w
  bx lr
  end wide
  caller asking, wide

/* Without call-frame information. */
  .type bare, %function
bare:
bare_at:
  nop
bare_in:
  bx lr
  .size bare, . - bare
  caller baring, bare

/* Its symbol ends in an instruction. */
  begin cut
  nop.w
  bx lr
  .cfi_endproc
  .size cut, 2

/* In A32 code, the word would be ldm {..., pc}^. */
  begin odd
  add.w r8, r1, r0, lsr #1
  bx lr
  end odd

/* Without .debug_frame, but with Arm's exception tables. */
.macro table_begin name
  .globl \name
  .type \name, %function
  .thumb_func
\name:
\name\()_at:
  .fnstart
.endm
.macro table_end name
  .fnend
  .size \name, . - \name
.endm
  table_begin tabled
  push {r4, lr}
  .save {r4, lr}
  sub sp, #8
  .pad #8
tabled_in:
  bl leaf
tabled_leaf:
  add sp, #8
  pop {r4, pc}
  table_end tabled
  caller tabling, tabled

/* The frame is where r7 says. */
  table_begin framed
  push {r4, r7, lr}
  .save {r4, r7, lr}
  mov r7, sp
  .setfp r7, sp
  sub sp, r0
  bl tabled
framed_tabled:
  mov sp, r7
  pop {r4, r7, pc}
  table_end framed
  caller framing, framed

/* Has no entry: the entry before does not describe the function. */
  .globl strange
  .type strange, %function
strange:
  push {r5, lr}
  bl leaf
strange_leaf:
  pop {r5, pc}
  .size strange, . - strange
  caller odder, strange

/* Its entry begins after its own beginning. */
  .globl late
  .type late, %function
  .thumb_func
late:
  push {r5, lr}
  .fnstart
  .save {r5, lr}
  bl leaf
late_leaf:
  pop {r5, pc}
  table_end late
  caller later, late

/* Has an entry that refuses, a spare opcode, or no size. */
.macro vague name, opcodes:vararg
  table_begin \name
  push {r4, lr}
  \opcodes
  bl leaf
\name\()_leaf:
  pop {r4, pc}
  .fnend
.endm
  vague refusing, .cantunwind
  .size refusing, . - refusing
  caller being, refusing
  vague sparing, .unwind_raw 8, 0xa8, 0xf0
  .size sparing, . - sparing
  caller saving, sparing
  vague sizeless, .save {r4, lr}
  caller after, sizeless

/* Loses registers of its callers. */
  begin losing
  enter
  .cfi_undefined r5
  .cfi_undefined r7
  bl leaf
losing_leaf:
  leave
  end losing

/* Its frame is where r7 says. */
  begin based
  push {r7, lr}
  mov r7, sp
  .cfi_def_cfa r7, 8
  .cfi_offset lr, -4
  .cfi_offset r7, -8
  bl leaf
based_leaf:
  bl losing
based_losing:
  nop
  end based
  caller basing, based

/* Its return address is in r5. */
  begin moving
  mov r5, lr
  .cfi_register lr, r5
  bl leaf
moving_leaf:
  bl losing
moving_losing:
  nop
  end moving
  caller carrying, moving

/* Its return address is nowhere. */
  begin forgetting
  .cfi_undefined lr
  nop
forgetting_in:
  nop
  end forgetting
  caller reminding, forgetting

/* Jumps to leaf, over 1 to 4 functions. */
  begin jump1
  JUMP leaf
  end jump1
  begin jump2
  JUMP jump1
  end jump2
  begin jump3
  JUMP jump2
  end jump3
  begin jump4
  JUMP jump3
  end jump4
  caller three, jump3
  caller four, jump4
  begin jumping
  bx r3
  end jumping
  caller five, jumping

/* The code at its end has no description of its own. */
  begin leaving
  enter
leaving_in:
  nop
  beq 1f
  nop
1:
leaving_call:
  bl leaf
  ldr lr, [sp, #4]
  add sp, #8
leaving_end:
  bx lr
  end leaving
  caller using, leaving
  begin onward
  JUMP leaving
  end onward
  caller using_it, onward

  begin tailing
  enter
  ldr lr, [sp, #4]
  add sp, #8
tailing_end:
  JUMP leaf
  end tailing
#endif
