/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
        .section .start, "ax"
        .globl start
        .type start, @function
start:  la sp, stack_top
        j stage
