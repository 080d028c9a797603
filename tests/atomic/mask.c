/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lock that is an interrupt mask leaves the mask as it found it: code
 * that counts while interrupts are off does not turn them on, and they come
 * afterwards. Exit status: 0, or the number of the check.
 */
#include "bareprof_options.h"
#include "board.h"
#include "common.h"

enum { CALLS = 1000, INTERVAL = TIMER_HZ / 50000 };

static volatile unsigned from_main, ticks;

static void tick(void) { ticks = ticks + 1; }

int main(void) {
  board_timer_start(INTERVAL, tick);
  uintptr_t state = bareprof_atomic_lock();
  unsigned before = ticks;
  count_calls(&from_main, CALLS);
  if (ticks != before)
    return 1;
  bareprof_atomic_unlock(state);
  count_calls(&from_main, 2 * CALLS);
  return ticks - before > 1 ? 0 : 2;
}
