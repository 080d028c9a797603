/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Start-up code that clears .bss itself, calls main, and then what never runs.
 * With -DBEFORE it calls something before it clears, too. An entry of
 * interrupts calls the same.
 */
#ifdef __riscv
        .section .start, "ax"
        .globl start
        .type start, @function
start:  la sp, stack_top
#ifdef BEFORE
        call before
#endif
        la a0, bss_start
        la a1, bss_end
1:      bgeu a0, a1, 2f
        sw zero, 0(a0)
        addi a0, a0, 4
        j 1b
2:      call main
        call after
3:      j 3b
        .globl trap_entry
        .type trap_entry, @function
trap_entry:
        call before
        mret
#else
        .syntax unified
        .section .vectors, "a"
        .word stack_top
        .word reset
        .section .text.reset, "ax"
        .globl reset
        .thumb_func
        .type reset, %function
reset:
#ifdef BEFORE
        bl before
#endif
        ldr r0, =data_start
        ldr r1, =data_end
        ldr r2, =data_load
1:      cmp r0, r1
        bhs 2f
        ldr r3, [r2], #4
        str r3, [r0], #4
        b 1b
2:      ldr r0, =bss_start
        ldr r1, =bss_end
        movs r2, #0
3:      cmp r0, r1
        bhs 4f
        str r2, [r0], #4
        b 3b
4:      bl main
        bl after
5:      b 5b
        .globl SysTick_Handler
        .thumb_func
        .type SysTick_Handler, %function
SysTick_Handler:
        b before
#endif
