/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An interrupt decides after each instruction of main's decisions in turn; see
 * tests/atomic/sweep.h. Not measured.
 */
#include "../atomic/sweep.h"
#include "board.h"
#include "measured.h"

static int yes(int x) { return x; }
static void prepare(void) {}
static int wrong(void) { return 0; }

static void from_main(void) {
  asks(0, 0, 0);
  asks(1, 1, 0);
}

static void from_interrupt(void) { asks(1, 0, 0); }

int main(void) {
  const struct sweep all = {prepare, from_main, from_interrupt, wrong};
  asked = yes;
  struct sweep_result result = sweep(&all);
  board_puts("runs ");
  board_put_number(result.runs);
  board_putc('\n');
  return 0;
}
