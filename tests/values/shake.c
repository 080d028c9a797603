/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * main and a timer's interrupt at 10 kHz see the same values at the same
 * sites; each keeps an account of its own. Prints `events` of both, and then
 *   wrong   values whose count is not that of the accounts
 *   over    what counts exceed the accounts by, summed up
 *   faults  of the table
 * With DUMPS, each tenth interrupt holds the table as a dump does, and then
 * `missing` says how much of the accounts there is not.
 * EVENTS, SLOTS, WAYS, SITES come from the outside.
 */
#include "print.h"
#include "table.h"

BAREPROF_VALUES(SLOTS, WAYS);

enum { VALUES = 4, IN_A_TICK = 3, TICKS_A_DUMP = 10 };

static uint32_t from_main[SITES][VALUES], from_tick[SITES][VALUES];
static volatile uint32_t ticks;

/* Few values often, the others now and then. */
static uint32_t random_next(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

static void event(uint32_t *state, uint32_t account[SITES][VALUES]) {
  uint32_t bits = random_next(state);
  unsigned site = (bits >> 4) % SITES;
  unsigned value = bits & 8 ? 0 : bits & 3;
  see(site / 2, site % 2, 0x1000 + value);
  account[site][value]++;
}

static void tick(void) {
  static uint32_t state = 1;
  for (unsigned i = 0; i < IN_A_TICK; i++)
    event(&state, from_tick);
  ticks = ticks + 1;
#ifdef DUMPS
  if (ticks % TICKS_A_DUMP)
    return;
  bareprof_values_freeze(&bareprof_values);
  bareprof_values_thaw(&bareprof_values);
#endif
}

int main(void) {
  uint32_t state = 2, wrong = 0;
  uint64_t over = 0, missing = 0;
  board_timer_start(TIMER_HZ / 10000, tick);
  for (uint32_t i = 0; i + IN_A_TICK * ticks < EVENTS; i++)
    event(&state, from_main);
  board_timer_stop();
  print("interrupts", ticks);
  uint64_t events = 0;
  for (unsigned site = 0; site < SITES; site++)
    for (unsigned value = 0; value < VALUES; value++) {
      uint64_t account =
          (uint64_t)from_main[site][value] + from_tick[site][value];
      uint64_t count = table_count(site / 2, site % 2, 0x1000 + value);
      events += account;
      wrong += count != account;
      if (count > account)
        over += count - account;
      else
        missing += account - count;
    }
  print("events", events);
  print("wrong", wrong);
  print("over", over);
  print("missing", missing);
  print("faults", table_faults());
  return 0;
}
