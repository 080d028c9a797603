/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The anchor watch of examples/coverage, measured without a line of code for
 * it: no runtime is linked, and no code initialises or sends counters.
 * `bareprof run --gdb` does both from outside.
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
