/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program as instrumented objects have it: of four functions two are
 * called. PLAIN: the same without raw bytes and map.
 */
#if !defined(__riscv)
  .syntax unified
  .thumb
#endif

  .section .text.boot, "ax", %progbits
  .globl boot
#if defined(__thumb__)
  .thumb_func
#endif
  .type boot, %function
boot:
#if defined(__thumb__)
  bl first
  bl third
  b .
#else
  call first
  call third
  j .
#endif

#if !defined(PLAIN)
  .section __llvm_mipraw, "awGR", %progbits, __llvm_mipraw_header, comdat
  .p2align 3
  .zero 24
  .section __llvm_mipmap, "GR", %progbits, __llvm_mipmap_header, comdat
  .p2align 3
  .byte 0xfb, 0x4d, 0x49, 0x50
  .2byte 8, 2
  .4byte 1, 0, 0, 24
#endif

  .macro function name
  .section .text.\name, "ax", %progbits
  .globl \name
#if defined(__thumb__)
  .thumb_func
#endif
  .type \name, %function
\name:
#if defined(__thumb__)
  bx lr
#else
  ret
#endif
.Lend_\name:
  .size \name, . - \name
#if !defined(PLAIN)
  .reloc \name, BFD_RELOC_NONE, \name\()_RAW
  .section __llvm_mipraw, "awG", %progbits, \name\()_MIP
  .hidden \name\()_RAW
  .globl \name\()_RAW
\name\()_RAW:
  .byte 0xff
  .section __llvm_mipmap, "G", %progbits, \name\()_MIP
  .p2align 3
  .4byte __bareprof_mip_begin, \name\()_RAW, \name, .Lend_\name - \name, 0, 0, 9
  .ascii "map_\name"
  .p2align 3
#endif
  .endm

  function first
  function other
  function third
  function blank

  .section .note.GNU-stack, "", %progbits
