/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends dumps, each of another state of the counters, with its reference in
 * N.profraw: 1 to 4 in all four ways; then, where there is a timer whose
 * interrupt prints a log between their lines, 5 and 6 in TEXT, 7 and 8 in
 * BINARY. In the latter a log may hide among a frame's own bytes: they are
 * sent three times, and what one has lost another has.
 *
 * UNLOCKED: 5 to 8 only, with the log within lines as well, three times each.
 * LIVE: 1 to 6; begins with the first byte from the host, and does not end.
 */
#include "bareprof_wire.h"
#include "board.h"
#include "parts.h"

#ifdef UNLOCKED
enum { REPEATS_OF_TEXT = 3, REPEATS_OF_BINARY = 3 };
#else
enum { REPEATS_OF_TEXT = 1, REPEATS_OF_BINARY = 3 };
#endif

/* Whole lines, also where another line has been begun. The number is counted
 * in the text: making decimals takes longer than all the rest. */
static char log_text[] = "\nlog 0000: all is well\n";

static void log_line(void) {
  char *digit = &log_text[8];
  while (++*digit > '9')
    *digit-- = '0';
#ifdef UNLOCKED
  board_puts(log_text);
#else
  board_puts(log_text + 1);
#endif
}

static void timer(int on) {
#ifdef TIMER_HZ
  /* 4 ms: under -icount shift=6, every 62,500 instructions, of which a line
   * of a frame takes some 20,000. */
  if (on)
    board_timer_start(TIMER_HZ / 250, log_line);
  else
    board_timer_stop();
#else
  (void)on;
  (void)log_line;
#endif
}

static void dump(unsigned number, unsigned options, int repeats) {
  char name[] = "0.profraw";
  name[0] = (char)('0' + number);
#ifdef UNLOCKED
  const struct bareprof_sink uart = {to_uart, NULL};
#else
  const struct bareprof_sink uart = {to_uart, name};
#endif
  work(number);
  int error = write_reference(name);
  board_puts("dump ");
  board_put_number(number);
  board_puts("\r\n");
  timer(number > 4);
  while (repeats--)
    error |= bareprof_send(&uart, options);
  timer(0);
  board_puts(error ? "failed\r\n" : "sent\r\n");
}

int main(void) {
#ifdef LIVE
  keep_qemu_awake();
  while (board_getc() < 0) {
  }
  timer(0);
#endif
  board_puts("boot\r\n");
#ifndef UNLOCKED
  dump(1, BAREPROF_TEXT, 1);
  dump(2, BAREPROF_BINARY, 1);
  dump(3, BAREPROF_TEXT | BAREPROF_LEAN, 1);
  dump(4, BAREPROF_BINARY | BAREPROF_LEAN, 1);
#endif
#ifdef TIMER_HZ
  dump(5, BAREPROF_TEXT, REPEATS_OF_TEXT);
  dump(6, BAREPROF_TEXT | BAREPROF_LEAN, REPEATS_OF_TEXT);
#ifndef LIVE
  dump(7, BAREPROF_BINARY, REPEATS_OF_BINARY);
  dump(8, BAREPROF_BINARY | BAREPROF_LEAN, REPEATS_OF_BINARY);
#endif
#endif
#ifdef LIVE
  for (;;) {
  }
#endif
  return 0;
}
