/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * demo-live links this file instead of main.c: the recording arrives as if from
 * a receiver, PACE bytes in a millisecond, with the host's requests in between.
 * This file is not instrumented: if its loop counted, each poll of the host
 * would cause a dump.
 */
#include "bareprof_wire.h"
#include "board.h"
#include "monitor.h"
#include "stream.h"

#ifndef PACE
#define PACE 3
#endif

static struct nmea_parser parser;
static struct nmea_message message;
static struct monitor monitor;
static volatile unsigned milliseconds;

static void on_timer(void) { milliseconds = milliseconds + 1; }

static int to_uart(void *context, const void *bytes, size_t size) {
  const char *next = bytes;
  (void)context;
  while (size--)
    board_putc(*next++);
  return 0;
}

static const struct bareprof_sink uart = {to_uart, NULL};
static struct bareprof_wire wire =
    BAREPROF_WIRE_INIT(NULL, &uart, BAREPROF_TEXT | BAREPROF_LEAN);

int main(void) {
  const char *next = stream_begin;
  board_timer_start(TIMER_HZ / 1000, on_timer);
  for (;;) {
    int byte = board_getc();
    if (byte >= 0 && bareprof_wire_feed(&wire, (uint8_t)byte))
      bareprof_wire_serve(&wire);
    if (next != stream_end &&
        (unsigned)(next - stream_begin) / PACE < milliseconds) {
      enum nmea_event event = nmea_feed(&parser, *next++, &message);
      if (event != NMEA_NONE)
        monitor_take(&monitor, event, &message);
    }
  }
}
