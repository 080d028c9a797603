/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A decision within a condition of another one, which a jump leaves. Not
 * measured. Arm. JUMP: the name of what jumps.
 */
#include "board.h"
#include "measured.h"

#ifndef JUMP
#define JUMP longjmp
#endif

static unsigned back[10];
static int inside;

/* Returns 0, and 1 once more where JUMP has come back. */
__attribute__((naked, noinline, returns_twice)) static int mark(unsigned *to) {
  __asm__("stmia r0!, {r4-r11}\n"
          "mov r1, sp\n"
          "str r1, [r0]\n"
          "str lr, [r0, #4]\n"
          "movs r0, #0\n"
          "bx lr\n");
}

__attribute__((naked, noinline, noreturn)) void JUMP(unsigned *to);
void JUMP(unsigned *to) {
  __asm__("ldmia r0!, {r4-r11}\n"
          "ldr r1, [r0]\n"
          "mov sp, r1\n"
          "ldr r1, [r0, #4]\n"
          "movs r0, #1\n"
          "bx r1\n");
}

static int leaves(int x) {
  if (inside)
    JUMP(back);
  inside = 1;
  if (!mark(back))
    asks_again(1, 1, 0);
  inside = 0;
  return x;
}

int main(void) {
  asked = leaves;
  board_putc(asks(1, 1, 0) ? '1' : '0');
  board_putc('\n');
  return 0;
}
