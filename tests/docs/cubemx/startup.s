/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Start-up as chip vendors give it: data, bss, constructors, main. */
  .syntax unified
  .cpu cortex-m3
  .thumb
  .section .isr_vector, "a", %progbits
  .word _estack
  .word Reset_Handler
  .word Default_Handler
  .word Default_Handler
  .section .text.Reset_Handler, "ax", %progbits
  .global Reset_Handler
  .type Reset_Handler, %function
Reset_Handler:
  ldr r0, =_sdata
  ldr r1, =_edata
  ldr r2, =_sidata
1: cmp r0, r1
  bcs 2f
  ldr r3, [r2], #4
  str r3, [r0], #4
  b 1b
2: ldr r0, =_sbss
  ldr r1, =_ebss
  movs r3, #0
3: cmp r0, r1
  bcs 4f
  str r3, [r0], #4
  b 3b
4: bl __libc_init_array
  bl main
5: b 5b
  .type Default_Handler, %function
  .thumb_func
Default_Handler:
  b Default_Handler
