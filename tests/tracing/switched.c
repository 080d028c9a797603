/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two tasks that change places within one decision of both, ROUNDS times. Not
 * measured. Arm. OTHER: the decision of the second task. SWITCH: the function's
 * name.
 */
#include "board.h"
#include "measured.h"

#ifndef SWITCH
#define SWITCH vTaskSwitchContext
#define OTHER asks
#endif

enum { ROUNDS = 20, WORDS = 256 };

static unsigned room[WORDS];
extern unsigned *other;
unsigned *other; /* where the task that waits left off */

/* Puts away the task that runs, and goes on with the other. */
__attribute__((naked, noinline)) void SWITCH(void);
void SWITCH(void) {
  __asm__("push {r4-r11, lr}\n"
          "ldr r0, =other\n"
          "ldr r1, [r0]\n"
          "str sp, [r0]\n"
          "mov sp, r1\n"
          "pop {r4-r11, pc}\n"
          ".ltorg\n");
}

static int switches(int x) {
  SWITCH();
  return x;
}

static void second(void) {
  for (;;)
    OTHER(1, 1, 0);
}

int main(void) {
  other = room + WORDS - 9;
  other[8] = (unsigned)(__UINTPTR_TYPE__)second | 1;
  asked = switches;
  for (int i = 0; i < ROUNDS; i++)
    asks(1, 0, 0);
  asked = 0;
  asks(0, 0, 0);
  board_puts("switched\n");
  return 0;
}
