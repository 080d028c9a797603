/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Maps 4 MB at 0xC0000000 to 0x80400000, and runs the code there.
 */
        .globl start
start:  la t0, table
        li t1, 0x201000CF
        li t2, 0xC00
        add t2, t0, t2
        sw t1, 0(t2)
        li t1, -1
        csrw pmpaddr0, t1
        li t1, 0x1F
        csrw pmpcfg0, t1
        srli t0, t0, 12
        li t1, 0x80000000
        or t0, t0, t1
        csrw satp, t0
        li t0, 0x1800
        csrc mstatus, t0
        li t0, 0x800
        csrs mstatus, t0
        sfence.vma
        li t0, 0xC0000000
        csrw mepc, t0
        mret
        .bss
        .balign 4096
table:  .space 4096
