/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * x86-64, for tests on a host: not for shadow stacks, since a helper changes
 * its return address. Stack: 32 bytes; for edges 80, and bareprof_mip_call's.
 */
#define BAREPROF_MIP_HELPERS

  /* rax, rcx, rdx and the flags are free then. */
  .macro save
  pushfq
  push %rax
  push %rcx
  push %rdx
  .set frame, 32
  .endm

  .macro save_all
  pushfq
  push %rax
  push %rcx
  push %rdx
  push %rsi
  push %rdi
  push %r8
  push %r9
  push %r10
  push %r11
  .set frame, 80
  .endm

  .macro from_index shift
  mov frame(%rsp), %rcx
  movzwl (%rcx), %eax
  add $3, %rcx
  mov %rcx, frame(%rsp)
  lea __bareprof_mip_begin + 24(%rip), %rdx
  shl $\shift, %eax
  add %rax, %rdx
  .endm

  .macro from_address
  mov frame(%rsp), %rcx
  movslq (%rcx), %rdx
  add %rcx, %rdx
  add $4, %rcx
  mov %rcx, frame(%rsp)
  .endm

  .macro cover
  movb $0, (%rdx)
  .endm

  /* The time first: an interrupt gets a later one. */
  .macro count
  cmpl $-1, 4(%rdx)
  jne 1f
  mov $1, %eax
  lock xadd %eax, bareprof_mip_time(%rip)
  mov %eax, 4(%rdx)
1:
  mov (%rdx), %eax
2: /* From ~0 to 1; at the end no further than ~0 - 1. */
  mov %eax, %ecx
  add $1, %ecx
  adc $0, %ecx
  cmp $-1, %ecx
  je 3f
  lock cmpxchg %ecx, (%rdx)
  jne 2b
3:
  .endm

  .macro edge function
  mov %rdx, %rdi
  mov frame + 8(%rsp), %rsi
  call \function
  .endm

  .macro restore
  pop %rdx
  pop %rcx
  pop %rax
  popfq
  ret
  .endm

  .macro restore_all
  pop %r11
  pop %r10
  pop %r9
  pop %r8
  pop %rdi
  pop %rsi
  restore
  .endm
