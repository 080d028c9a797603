/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two harts run the same counted function, and so does the timer's interrupt
 * of the first. Each of the three counts its own calls. Under -icount, where
 * QEMU runs one hart at a time, the timer is also what makes it change over,
 * after any instruction. CALLS, of each hart, comes from the outside.
 */
#include "board.h"
#include "common.h"

/* 20 us: 312 instructions at -icount shift=6. */
enum { INTERVAL = TIMER_HZ / 50000 };

static volatile unsigned calls[2], from_interrupt;
static volatile int started[2], finished;

static void tick(void) {
  shared();
  from_interrupt = from_interrupt + 1;
}

/* Together from the start. */
static void run(unsigned hart) {
  started[hart] = 1;
  while (!started[!hart]) {
  }
  count_calls(&calls[hart], CALLS);
}

void board_secondary(unsigned hart) {
  if (hart != 1)
    return;
  run(hart);
  __asm__ volatile("fence" ::: "memory");
  finished = 1;
}

int main(void) {
  board_timer_start(INTERVAL, tick);
  run(0);
  while (!finished) {
  }
  board_timer_stop();
  __asm__ volatile("fence" ::: "memory");
  print_result("calls", calls[0] + calls[1], from_interrupt);
  return write_profile();
}
