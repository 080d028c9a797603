/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * main and the timer's interrupt run the same function that counts with 32
 * bits, or on two harts both do (HARTS); the interrupt folds. The counter
 * begins just below 2^32, and main lets it jump by 2^30 now and then, so that
 * it wraps many times. Each of the three counts its own calls.
 */
#include "bareprof_options.h"
#include "board.h"
#include "fold.h"

/* 20 us: 312 instructions at -icount shift=6. A jump is some ticks later than
 * the one before. */
enum { INTERVAL = TIMER_HZ / 50000, BETWEEN = 50, JUMPS = CALLS / BETWEEN };
#define BEGIN UINT64_C(0xFFFFFFF0)
#define JUMP (UINT32_C(1) << 30)

static volatile unsigned calls[2], from_interrupt;
static counter *counted;

static void fold(void) {
#ifdef FOLD
  bareprof_fold();
#endif
}

static void tick(void) {
  shared();
  from_interrupt = from_interrupt + 1;
  fold();
}

/* As JUMP calls at once. */
static void jump(void) {
  board_timer_stop();
  counted->halves[LOWER] = counted->halves[LOWER] + JUMP;
  board_timer_start(INTERVAL, tick);
}

#ifdef HARTS
static volatile int started[2], finished;

void board_secondary(unsigned hart) {
  if (hart != 1)
    return;
  while (!started[0]) {
  }
  started[1] = 1;
  count_calls(&calls[1], CALLS);
  __asm__ volatile("fence" ::: "memory");
  finished = 1;
}
#endif

int main(void) {
  uint64_t sum = BEGIN;
  counted = counter_of_shared();
  counted->whole = BEGIN;
  fold();
  board_timer_start(INTERVAL, tick);
#ifdef HARTS
  started[0] = 1;
  while (!started[1]) {
  }
  count_calls(&calls[0], CALLS);
  while (!finished) {
  }
#else
  for (unsigned i = 1; i <= JUMPS; i++) {
    count_calls(&calls[0], i * BETWEEN);
    jump();
    sum += JUMP;
  }
#endif
  board_timer_stop();
  print_result("calls", sum + calls[0] + calls[1], from_interrupt);
  return write_profile();
}
