/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Constants of riscv.S and riscv.c. The CLINT, which all machines here have at
 * the same address, holds the timer and the software interrupts.
 */
#define CLINT 0x2000000
#define CLINT_MTIMECMP 0x4000 /* 8 bytes for each hart */
#define CLINT_MTIME 0xbff8
#define FINISHER 0x100000 /* a word written here ends QEMU, or resets */
#define FINISHER_RESET 0x7777
#define MSIE (1 << 3) /* in mie and mip */
#define MTIE (1 << 7)
#define HART_MAX 4
#define HART_STACK 0x4000 /* bytes, for each hart but 0 */
