/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * main and the timer's interrupt run the same counted function. Each counts
 * its own calls, in a variable that the other does not write: their sum is
 * what the profile must say. The host compares.
 */
#include "board.h"
#include "common.h"

/* 20 us: 312 instructions at -icount shift=6. */
enum { CALLS = 20000, INTERVAL = TIMER_HZ / 50000 };

static volatile unsigned from_main, from_interrupt;

static void tick(void) {
  shared();
  from_interrupt = from_interrupt + 1;
}

int main(void) {
  board_timer_start(INTERVAL, tick);
  count_calls(&from_main, CALLS);
  board_timer_stop();
  print_result("calls", from_main, from_interrupt);
  return write_profile();
}
