/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends dumps of several starts on one console, each next to its reference:
 *   boot 1: two dumps, of which the second has the counts of the first
 *   boot 2: one
 *   no boot number: one; after a reset another, with less; after a reset a
 *   third, with no less, but another outcome of a decision
 * What counts are the references 2 to 6: ordinals tell the starts. LEAN: no
 * references, the image has no records. BOARD_NUMBER is what another board runs
 * besides.
 */
#include "bareprof_wire.h"
#include "board.h"
#include "parts.h"

#ifndef BOARD_NUMBER
#define BOARD_NUMBER 0
#endif

#ifdef LEAN
#define FORM (BAREPROF_TEXT | BAREPROF_LEAN)
#else
#define FORM BAREPROF_TEXT
#endif

int decide(int first, int second);

static int dump(unsigned number, unsigned options) {
  const struct bareprof_sink uart = {to_uart, NULL};
  int error = 0;
#ifndef LEAN
  char name[] = "0.profraw";
  name[0] = (char)('0' + number);
  error = write_reference(name);
#endif
  board_puts("dump ");
  board_put_number(number);
  board_puts("\r\n");
  return bareprof_send(&uart, FORM | options) || error;
}

/* What is like a reset of the core: the dumps of another start count from 1. */
static void restart(void) {
  bareprof_reset();
  *bareprof_running.guard = (uint32_t)*bareprof_running.guard;
}

int main(void) {
  int error = 0;
  work(0 + BOARD_NUMBER);
  error |= dump(1, BAREPROF_BOOT(1));
  work(1);
  error |= dump(2, BAREPROF_BOOT(1));
  restart();
  work(5);
  error |= dump(3, BAREPROF_BOOT(2));
  restart();
  work(9);
  work(10);
  work(11);
  error |= dump(4, 0);
  restart();
  decide(1, 0);
  error |= dump(5, 0);
  restart();
  decide(1, 1);
  error |= dump(6, 0);
  board_puts(error ? "failed\r\n" : "done\r\n");
  return error;
}
