/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Feeds the recording to the parser and the anchor watch of examples/coverage,
 * and sends their counters. Not instrumented, and not LTO's: the reference to
 * the width of the counters is in plain code, as in the archive.
 */
#include "bareprof_wire.h"
#include "board.h"
#include "monitor.h"
#include "stream.h"
#include "../uart_sink.h"

static struct nmea_parser parser;
static struct nmea_message message;
static struct monitor monitor;

int main(void) {
  const struct bareprof_sink uart = {to_uart, 0};
  for (const char *next = stream_begin; next != stream_end; ++next) {
    enum nmea_event event = nmea_feed(&parser, *next, &message);
    if (event != NMEA_NONE)
      monitor_take(&monitor, event, &message);
  }
  return bareprof_send(&uart, BAREPROF_TEXT) != 0;
}
