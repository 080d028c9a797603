/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Stops in an interrupt, in the midst of a branch of a loop. Marks as in
 * active.c. Cortex-M makes the interrupt pending itself, so that it always
 * comes at the same instruction. PROCESS: main uses the process stack, as tasks
 * of a Cortex-M do.
 */
#include <stdint.h>

#include "board.h"

#define NEVER __attribute__((noinline))
static volatile int seen;
#ifdef __ARM_FP
static volatile float value = 1; /* its register is in the exception's frame */
#else
static volatile int value = 1;
#endif

NEVER void stop_here(int by) { seen += by; }

NEVER static void other(void) {
  seen++; //=3
}

static void (*volatile through)(void) = other;

NEVER static void tick(void) {
  seen++;         //=1
  if (value >= 0) //=1
    stop_here(1); //=1
  seen++;         //=0!
}

/* Without a frame: the return address is in the exception's. */
NEVER static void wait(void) {
#if __ARM_ARCH_PROFILE == 'M'
  *(volatile uint32_t *)0xe000ed04 = 1u << 26;
  __asm__ volatile("dsb\n isb");
#else
  while (seen != -1)
    ;
#endif
  seen++; /* perhaps begun */
  seen--; //=0!
}

NEVER static int below(int which) {
  int x = which;    //=3
  through();        //=3
  value *= 3;       //=3
  if (which == 2) { //=3
    wait();         //=1
    x++;            //=0!
  }
  seen += x; //=2!
  return x;  //=2!
}

#ifdef PROCESS
static uint32_t room[256] __attribute__((aligned(8)));
#endif

int main(void) {
#ifdef PROCESS
  /* The stack of main becomes the process stack; interrupts use the room. */
  __asm__ volatile("mrs r0, msp\n msr psp, r0\n mov r0, #2\n msr control, r0\n"
                   "isb\n msr msp, %0" ::"r"(room + 256)
                   : "r0", "memory");
#endif
  board_timer_start(10000000, tick);
  for (int i = 0; i < 5; //=3
       i++)              //=2!
    below(i);            //=3
  below(6);              //=0!
  board_exit(0);         //=0
}
