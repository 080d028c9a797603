/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Workload: what main of the coverage example does with its recording.
 */
#include "forms.h"
#include "monitor.h"
#include "stream.h"

static struct nmea_parser parser;
static struct nmea_message message;
static struct monitor monitor;
static unsigned events[NMEA_EVENTS];

void work(void) {
  for (const char *next = stream_begin; next != stream_end; ++next) {
    enum nmea_event event = nmea_feed(&parser, *next, &message);
    if (event == NMEA_NONE)
      continue;
    ++events[event];
    monitor_take(&monitor, event, &message);
  }
}

#ifdef ROUNDS /* Of rebuilt: what wire sends has no such function. */
uint32_t work_result(void) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < NMEA_EVENTS; i++)
    sum = sum * 31 + events[i];
  return sum;
}
#endif
