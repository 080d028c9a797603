/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Firmware that does not end: serves the requests that come over the UART,
 * next to a shell that answers `?`. TICKS: an interrupt, 10,000 times a
 * second, calls tick() TICKS times, and main TIMES as often, so that they
 * meet within it. From dump number LAST on none is sent before both have
 * ended: the host then knows the sum of what it gets. SLOTS: of slots.c.
 */
#include "bareprof_wire.h"
#include "board.h"
#include "parts.h"

#ifndef TICKS
#define TICKS 0
#endif
#ifndef LAST
#define LAST 48
#endif
enum { TIMES = 50 };

static int lock;
static const struct bareprof_sink uart = {to_uart, &lock};
/* Increments are of one start: it has a number. */
static struct bareprof_wire wire = {
    .out = &uart, .options = BAREPROF_TEXT | BAREPROF_BOOT(7)};
static volatile unsigned from_interrupt;
static unsigned from_main, served;

#if TICKS
static void on_timer(void) {
  if (from_interrupt == TICKS) {
    board_timer_stop();
    return;
  }
  tick();
  from_interrupt = from_interrupt + 1;
}
#endif

/* Main's part, as far as the interrupt has come; whether there is more. */
static int count(void) {
  if (from_main < TIMES * from_interrupt) {
    tick();
    from_main++;
  }
  return from_main < TIMES * TICKS;
}

int main(void) {
  work(0);
#ifdef SLOTS
  record_values();
#endif
  if (write_reference("served.profraw"))
    return 1;
#if TICKS
  board_timer_start(TIMER_HZ / 10000, on_timer);
#else
  keep_qemu_awake();
#endif
  board_puts("ready\r\n");
  for (;;) {
    count();
    int byte = board_getc();
    if (byte == '?')
      board_puts("shell: here\r\n");
    if (byte < 0 || !bareprof_wire_feed(&wire, (uint8_t)byte))
      continue;
    while (served >= LAST && count()) {
    }
    bareprof_wire_serve(&wire);
    served++;
  }
}
