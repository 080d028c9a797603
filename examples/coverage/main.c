/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The firmware: feeds the recording to the parser and the anchor watch, prints
 * the results on the UART, and writes its coverage profile to the file
 * coverage.profraw of the machine that runs QEMU or the debug probe.
 *
 * bareprof needs three lines of a program:
 *
 *   the flags    -fprofile-instr-generate -fcoverage-mapping   (compiling)
 *   the sections INCLUDE bareprof.ld                     (linker script)
 *   the call     bareprof_write(&sink)                   (save_profile)
 *
 * The counters are set to 0 before main: the link has -u bareprof_preinit.
 * Start-up code that does not walk .preinit_array calls bareprof_init().
 */
#include "bareprof.h"
#include "bareprof_semihosting.h"
#include "board.h"
#include "monitor.h"
#include "stream.h"

static struct nmea_parser parser;
static struct nmea_message message;
static struct monitor monitor;
static unsigned events[NMEA_EVENTS];

static void put_count(unsigned number, const char *what) {
  board_put_number(number);
  board_puts(what);
}

static void report(void) {
  static const char *const fixes[] = {"searching", "settling", "tracking",
                                      "coasting"};
  board_puts("nmea:  ");
  put_count(events[NMEA_GGA] + events[NMEA_GSA] + events[NMEA_RMC] +
                events[NMEA_OTHER],
            " sentences, ");
  put_count(events[NMEA_CORRUPT], " corrupt, ");
  put_count(events[NMEA_BROKEN], " broken, ");
  put_count(events[NMEA_MALFORMED], " malformed\n");
  board_puts("watch: ");
  put_count(monitor.epochs, " epochs, ");
  put_count(monitor.losses, " fix lost, ");
  put_count(monitor.alarms, " alarm; now ");
  board_puts(fixes[monitor.fix]);
  board_puts(monitor.anchored ? ", at anchor\n" : ", under way\n");
}

/* Not instrumented: code that runs after the profile has been sent would show
 * in the report as not executed. */
__attribute__((no_profile_instrument_function)) static int save_profile(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  int error = bareprof_semihosting_open(&file, "coverage.profraw");
  if (!error) {
    error = bareprof_write(&sink);
    int close_error = bareprof_semihosting_close(&file);
    error = error ? error : close_error;
  }
  if (error) {
    board_puts(error < 0 ? "no profile: error -" : "no profile: error ");
    board_put_number(error < 0 ? 0u - (unsigned)error : (unsigned)error);
    board_puts(", see bareprof.h\n");
  }
  return error ? 1 : 0;
}

int main(void) {
  for (const char *next = stream_begin; next != stream_end; ++next) {
    enum nmea_event event = nmea_feed(&parser, *next, &message);
    if (event == NMEA_NONE)
      continue;
    ++events[event];
    monitor_take(&monitor, event, &message);
  }
  report();
  return save_profile();
}
