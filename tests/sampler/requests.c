/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Firmware that does not end, and sends samples on request: `served.samples`
 * has the samples of that time. The first request comes before the first
 * sample. Requests for a profile go to another wire state, which has none.
 */
#include "bareprof_semihosting.h"
#include "entry.h"
#include "work.h"
#include "../uart_sink.h"

BAREPROF_SAMPLER_TABLE(256);

void bareprof_sampler_timer(void) {
  board_timer_next(bareprof_sampler_interval());
}

static const struct bareprof_sink uart = {to_uart, NULL};
static struct bareprof_wire profile = {.out = &uart};
static struct bareprof_wire samples = {.out = &uart,
                                       .options = BAREPROF_SAMPLER_WIRE};

static void serve(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  bareprof_sampler_stop();
  if (!bareprof_semihosting_open(&file, "served.samples")) {
    bareprof_sampler_write(&sink);
    bareprof_semihosting_close(&file);
  }
  bareprof_sampler_serve(&samples);
  bareprof_sampler_start(PERIOD);
  board_timer_start(PERIOD, NULL);
}

int main(void) {
  board_puts("ready\r\n");
  for (;;) {
    int byte = board_getc();
    work();
    if (byte < 0)
      continue;
    if (bareprof_wire_feed(&profile, (uint8_t)byte))
      bareprof_wire_serve(&profile);
    if (bareprof_wire_feed(&samples, (uint8_t)byte))
      serve();
  }
}
