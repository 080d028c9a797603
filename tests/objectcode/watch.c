/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Feeds the recording of the coverage example to its parser and its watch, on a
 * board and on the host.
 */
#include "monitor.h"
#include "stream.h"

static struct nmea_parser parser;
static struct nmea_message message;
static struct monitor monitor;

int main(void) {
  for (const char *next = stream_begin; next != stream_end; ++next) {
    enum nmea_event event = nmea_feed(&parser, *next, &message);
    if (event != NMEA_NONE)
      monitor_take(&monitor, event, &message);
  }
  return 0;
}
