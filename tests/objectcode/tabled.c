/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A function that Zcmt's table enters after its branch. Only with the table do
 * the counts show the branch's outcomes: it falls through twice of five times.
 */
#include <stdint.h>

int picks(int number), turns(int number);
extern const uint32_t table[] __asm__("__jvt_base$");

__asm__(".section .rodata.table, \"a\", @progbits\n"
        ".balign 64\n"
        ".globl __jvt_base$\n"
        "__jvt_base$: .word 0, 1f\n"
        ".section .text.picks, \"ax\", @progbits\n"
        ".option push\n"
        ".option norelax\n"
        ".globl picks, turns\n"
        ".type other, @function\n"
        "other: li a0, 7\n"
        "ret\n"
        ".size other, . - other\n"
        ".type picks, @function\n"
        "picks: beqz a0, other\n"
        "1: addi a0, a0, 1\n"
        "ret\n"
        ".size picks, . - picks\n"
        ".type turns, @function\n"
        "turns: cm.jt 1\n"
        ".size turns, . - turns\n"
        ".option pop\n");

int main(void) {
  int sum = 0;
  __asm__ volatile("csrw 0x17, %0" : : "r"(table));
  for (int i = 0; i < 5; i++)
    sum += picks(i % 2);
  return sum + turns(3) != 3 * 7 + 2 * 2 + 4;
}
