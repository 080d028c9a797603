/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * See sweep.h. Not instrumented.
 */
#include "sweep.h"

#include "board.h"

enum { FIRST_DELAY = 2 };

static void (*on_tick)(void);
static volatile int ticked;

/* The timer goes on by itself: a second tick may be pending. */
static void tick(void) {
  board_timer_stop();
  if (ticked)
    return;
  on_tick();
  ticked = 1;
}

struct sweep_result sweep(const struct sweep *sweep) {
  struct sweep_result result = {0, 0};
  on_tick = sweep->interrupt;
  for (unsigned delay = FIRST_DELAY;; delay++) {
    sweep->prepare();
    ticked = 0;
    board_timer_start(delay, tick);
    sweep->code();
    int in_time = ticked;
    while (!ticked) {
    }
    if (!in_time)
      return result;
    result.runs++;
    result.wrong += sweep->wrong() != 0;
  }
}
