/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Instructions that a sled with a helper adds to a call, on RISC-V under
 * -icount shift=0, where minstret is exact: first calls, and further ones.
 */
#include "target.h"

#include "board.h"

BAREPROF_MIP_ROOM(ROOM);
BAREPROF_MIP_EDGES(16);

static unsigned cost_of(void (*function)(void)) {
  unsigned begin, end;
  __asm__ volatile("csrr %0, minstret\n jalr %2\n csrr %1, minstret"
                   : "=&r"(begin), "=&r"(end)
                   : "r"(function)
                   : "ra", "t0", "t1", "memory");
  return end - begin;
}

static void say(const char *what, void (*function)(void)) {
  unsigned nothing = cost_of(plain);
  board_puts(what);
  for (unsigned i = 0; i < 2; i++) {
    board_putc(' ');
    board_put_number(cost_of(function) - nothing);
  }
  board_putc('\n');
}

int main(void) {
  bareprof_mip_init();
  say("cover", cover_address);
  say("cover_index", cover_index);
  say("count", count_address);
  say("count_index", count_index);
  say("edge", edge_address);
  say("edge_index", edge_index);
  return 0;
}
