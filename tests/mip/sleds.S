/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that begin with a sled and do nothing else, for each helper and
 * both forms of calling it, as `bareprof mip instrument` and `... patch` write
 * them. Where their raw bytes are, target.c says. Then calls of functions
 * with edges, whose return addresses have names.
 */
#define RAW bareprof_mip_room + 24

#if defined(__arm__)
  .syntax unified
#if defined(__thumb__)
  .thumb
#else
  .arm
#endif
  .macro by_address helper, offset
  mov ip, lr
  bl \helper
  .word RAW + \offset
  bx lr
  .endm
  .macro by_index helper, index
  mov ip, lr
  bl \helper
#if defined(__thumb__)
  .hword \index
#else
  .word \index
#endif
  bx lr
  .endm
  .macro site name, callee
  push {r4, lr}
  bl \callee
  .globl \name
\name:
  pop {r4, pc}
  .endm

#elif defined(__aarch64__)
  .macro by_address helper, offset
  mov x16, x30
  bl \helper
  .word RAW + \offset - .
  ret
  .endm
  .macro by_index helper, index
  mov x16, x30
  bl \helper
  .word \index
  ret
  .endm
  .macro site name, callee
  stp x29, x30, [sp, #-16]!
  bl \callee
  .globl \name
\name:
  ldp x29, x30, [sp], #16
  ret
  .endm

#elif defined(__riscv)
  .macro by_address helper, offset
  call t0, \helper
  .word RAW + \offset - .
  ret
  .endm
  .macro by_index helper, index
  .option push
  .option norelax
  jal t0, \helper
  .option pop
  lui zero, \index << 4
  ret
  .endm
  .macro site name, callee
  addi sp, sp, -16
#if __riscv_xlen == 64
  sd ra, 8(sp)
#else
  sw ra, 8(sp)
#endif
  call \callee
  .globl \name
\name:
#if __riscv_xlen == 64
  ld ra, 8(sp)
#else
  lw ra, 8(sp)
#endif
  addi sp, sp, 16
  ret
  .endm

#endif

  .text
  .macro function name
  .globl \name
  .type \name, %function
#if defined(__thumb__)
  .thumb_func
#endif
\name:
  .endm

  .balign 4
  function plain
#if defined(__arm__)
  bx lr
#else
  ret
#endif
  function cover_address
  by_address bareprof_mip_cover, 0
  function cover_index
  by_index bareprof_mip_cover_index, 1
  function cover_far
  by_index bareprof_mip_cover_index, 0x1234
  function count_address
  by_address bareprof_mip_count, 8
  function count_index
  by_index bareprof_mip_count_index, 2
  function count_far
  by_index bareprof_mip_count_index, 0x321
  function edge_address
  by_address bareprof_mip_edge, 24
  function edge_index
  by_index bareprof_mip_edge_index, 4
  function shared_address
  by_address bareprof_mip_count, 40
  function shared_index
  by_index bareprof_mip_count_index, 6
  function shared_edge
  by_address bareprof_mip_edge, 56
  function last
  by_address bareprof_mip_count, 64
  function step_address
  by_address bareprof_mip_step, 80
  function step_index
  by_index bareprof_mip_step_index, 6

  /* As `bareprof mip instrument` writes them. */
#if defined(__riscv_atomic)
  function count_inline
  lla t1, RAW + 112
  li t0, 1
  amoadd.w t0, t0, (t1)
  bgez t0, 1f
  call t0, bareprof_mip_first
1:
  ret
  function sample_inline
  lla t1, RAW + 120 + 8
  li t0, -1
  amoadd.w t0, t0, (t1)
  bgtz t0, 1f
  call t0, bareprof_mip_sample
1:
  ret
#elif defined(__thumb2__)
  function sample_inline
  movw ip, #:lower16:bareprof_mip_room + 24 + 120
  movt ip, #:upper16:bareprof_mip_room + 24 + 120
  push {r0}
  ldr r0, [ip, #8]
  subs r0, r0, #1
  str r0, [ip, #8]
  pop {r0}
  bpl 1f
  mov ip, lr
  bl bareprof_mip_sample
  .4byte RAW + 120
1:
  bx lr
#endif

  function call_1
  site site_1, edge_address
  function call_2
  site site_2, edge_address
  function call_3
  site site_3, edge_index
  function call_4
  site site_4, shared_edge

  .section .note.GNU-stack, "", %progbits
