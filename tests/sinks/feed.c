/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs the code of the coverage example, so that there is a profile of some
 * thousand bytes.
 */
#include "monitor.h"
#include "stream.h"
#include "fakes.h"

static struct nmea_parser parser;
static struct nmea_message message;
static struct monitor monitor;

void feed(void) {
  for (const char *next = stream_begin; next != stream_end; ++next) {
    enum nmea_event event = nmea_feed(&parser, *next, &message);
    if (event != NMEA_NONE)
      monitor_take(&monitor, event, &message);
  }
}
