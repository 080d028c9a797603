/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A hook is interrupted after each of its instructions in turn, by another
 * call of it, by a dump, by a reset; then by two interrupts, at any two
 * places. Each row prints how many times, and after how many of them the
 * table was wrong.
 */
#include "../atomic/sweep.h"
#include "board.h"
#include "table.h"

BAREPROF_VALUES(4, 4);

enum { MINE = 0x1000, YOURS = 0x2000, OLD = 0x3000 };

static void print_row(const char *name, struct sweep_result result) {
  board_puts(name);
  board_putc(' ');
  board_put_number(result.runs);
  board_putc(' ');
  board_put_number(result.wrong);
  board_putc('\n');
}

static void row(const char *name, void (*prepare)(void), void (*code)(void),
                void (*interrupt)(void), int (*wrong)(void)) {
  const struct sweep all = {prepare, code, interrupt, wrong};
  print_row(name, sweep(&all));
}

static uint64_t mine(void) { return table_count(0, 0, MINE); }
static uint64_t yours(void) { return table_count(0, 0, YOURS); }

static void see_mine(void) { see(0, 0, MINE); }
static void see_yours(void) { see(0, 0, YOURS); }

/* ---- Before ---- */

static void known(void) {
  table_clear();
  see_mine();
}

/* Each of the old ones was seen times[i] times. */
static void full(void) {
  table_clear();
  for (unsigned i = 0; i < 4; i++)
    for (unsigned times = 4 - i; times; times--)
      see(0, 0, OLD + i);
}

/* ---- In the interrupt ---- */

static void dump(void) {
  bareprof_values_freeze(&bareprof_values);
  bareprof_values_thaw(&bareprof_values);
}

static void dump_and_see_others(void) {
  dump();
  for (unsigned i = 0; i < 4; i++)
    see(1, 1, OLD + i);
}

static void reset_and_see_others(void) {
  struct bareprof_image image = bareprof_running;
  image.counters.end = image.counters.begin;
  image.bitmap.end = image.bitmap.begin;
  bareprof_reset_image(&image);
  for (unsigned i = 0; i < 4; i++)
    see(1, 1, OLD + i);
}

/* ---- After ---- */

static int not_three(void) { return table_faults() || mine() != 3; }
static int not_two(void) { return table_faults() || mine() != 2; }
static int not_one_each(void) {
  return table_faults() || mine() != 1 || yours() != 1;
}

/* None is there more often than it was seen; all that is there was. */
static int too_many(void) {
  uint64_t sum = mine() + yours();
  if (table_faults() || mine() > 1 || yours() > 1)
    return 1;
  for (unsigned i = 0; i < 4; i++) {
    uint64_t old = table_count(0, 0, OLD + i);
    if (old > 4 - i)
      return 1;
    sum += old;
  }
  return sum != table_sum() || table_used() != 4;
}

static int too_many_of_mine(void) {
  uint64_t sum = mine();
  if (table_faults() || mine() > 2)
    return 1;
  for (unsigned i = 0; i < 4; i++)
    sum += table_count(0, 0, OLD + i);
  return sum != table_sum() || table_used() < 3;
}

/* Four others have come since; mine may have a slot, or not. */
static int others_wrong(void) {
  uint64_t sum = mine();
  if (table_faults() || mine() > 1)
    return 1;
  for (unsigned i = 0; i < 4; i++) {
    uint64_t other = table_count(1, 1, OLD + i);
    if (other > 1)
      return 1;
    sum += other;
  }
  return sum != table_sum() || table_used() != 4;
}

static int broken(void) { return table_faults() != 0; }
static int lost(void) { return table_faults() || mine() < 1 || mine() > 2; }

/* ---- Two interrupts: where the first may start the timer anew ---- */
#ifndef __riscv

static volatile int ticks;
static unsigned second_delay;

/* ICSR: takes back a tick that has come since. */
static void forget_tick(void) { *(volatile uint32_t *)0xe000ed04 = 1u << 25; }

static void second(void) {
  board_timer_stop();
  if (ticks != 1)
    return;
  for (unsigned i = 0; i < 9; i++)
    see_yours();
  ticks = 2;
}

static void first(void) {
  board_timer_stop();
  if (ticks)
    return;
  see_mine();
  ticks = 1;
  forget_tick();
  board_timer_start(second_delay, second);
}

/* Less than an instruction takes at -icount shift=8. */
enum { STEP = TIMER_HZ / 4000000 };

/* The second interrupt comes later and later, until it is behind the code;
 * then the first one instruction later. */
static struct sweep_result two_interrupts(void) {
  struct sweep_result result = {0, 0};
  for (unsigned delay = 2;; delay += STEP) {
    int in_time = 0;
    for (second_delay = 2;; second_delay += STEP) {
      table_clear();
      ticks = 0;
      board_timer_start(delay, first);
      see_mine();
      int seen = ticks;
      while (ticks != 2) {
      }
      in_time |= seen;
      if (seen != 2)
        break;
      result.runs++;
      result.wrong += table_faults() || mine() != 2 || yours() != 9;
    }
    if (!in_time)
      return result;
  }
}
#endif

int main(void) {
  row("hit-and-hit", known, see_mine, see_mine, not_three);
  row("new-and-same", table_clear, see_mine, see_mine, not_two);
  row("new-and-other", table_clear, see_mine, see_yours, not_one_each);
  row("full-and-other", full, see_mine, see_yours, too_many);
  row("full-and-same", full, see_mine, see_mine, too_many_of_mine);
  row("new-and-dump", table_clear, see_mine, dump_and_see_others, others_wrong);
  row("new-and-reset", table_clear, see_mine, reset_and_see_others,
      others_wrong);
  row("dump-and-hit", known, dump, see_mine, lost);
  row("dump-and-new", table_clear, dump, see_yours, broken);
#ifndef __riscv
  print_row("two-interrupts", two_interrupts());
#endif
  return 0;
}
