/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counted code: the coverage example with its recording, which fills a
 * profile of many frames and with every part of the work another one.
 */
#include "monitor.h"
#include "stream.h"
#include "parts.h"

static struct nmea_parser parser;
static struct nmea_message message;
static struct monitor monitor;

void work(unsigned part) {
  size_t size = (size_t)(stream_end - stream_begin) / WORK_PARTS;
  const char *next = stream_begin + part * size;
  const char *end = next + size;
  for (; next != end; ++next) {
    enum nmea_event event = nmea_feed(&parser, *next, &message);
    if (event != NMEA_NONE)
      monitor_take(&monitor, event, &message);
  }
}

__attribute__((noinline)) void tick(void) {}
