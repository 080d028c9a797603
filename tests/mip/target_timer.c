/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * main and the timer's interrupt call the same functions. Each counts its
 * own calls, in a variable that the other does not write: the sums are what
 * the raw section must say. Edges: those of main's one call, and of the
 * interrupt's.
 */
#include "target.h"

#include "board.h"

BAREPROF_MIP_ROOM(ROOM);
BAREPROF_MIP_EDGES(16);

/* 20 us: 312 instructions at -icount shift=6. */
enum { CALLS = 20000, INTERVAL = TIMER_HZ / 50000 };

static volatile unsigned from_main, from_interrupt;

static void tick(void) {
  shared_address();
  shared_index();
  shared_edge();
  from_interrupt = from_interrupt + 1;
}

static void say(const char *what, uint64_t number) {
  board_puts(what);
  board_putc(' ');
  board_put_number(number);
  board_putc('\n');
}

int main(void) {
  uint32_t edges = 0;
  bareprof_mip_init();
  board_timer_start(INTERVAL, tick);
  while (from_main != CALLS) {
    shared_address();
    shared_index();
    shared_edge();
    from_main = from_main + 1;
    /* 0 to 15, without a period that a timer could fall in with. */
    for (unsigned i = from_main * 2654435761u >> 28; i; i--)
      __asm__ volatile("");
  }
  board_timer_stop();
  for (unsigned i = 0; i < bareprof_mip_edges.count; i++)
    edges += bareprof_mip_edges.table[i].count;
  uint32_t calls = from_main + from_interrupt;
  say("interrupts", from_interrupt);
  say("address", calls - raw_words(SHARED_ADDRESS)[0]);
  say("index", calls - raw_words(SHARED_INDEX)[0]);
  say("edge", calls - raw_words(SHARED_EDGE)[0]);
  say("edges", calls - edges - *bareprof_mip_edges.lost);
  return 0;
}
