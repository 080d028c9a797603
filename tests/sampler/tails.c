/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tail calls of tests/samples/tails.c, sampled with their callers.
 */
#include "bareprof_semihosting.h"
#include "entry.h"

#define main workload_once
#include "../samples/tails.c"
#undef main

BAREPROF_SAMPLER_CHAIN(4000, 8);

enum { SAMPLES = 3000 };

static volatile uint32_t ticks;

void bareprof_sampler_timer(void) {
  ticks = ticks + 1;
  board_timer_next(bareprof_sampler_interval());
}

int main(void) {
  extern unsigned char bss_end[], stack_top[];
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  bareprof_sampler_start(PERIOD);
  bareprof_sampler_stack(bss_end, stack_top);
  board_timer_start(PERIOD, NULL);
  while (ticks < SAMPLES)
    workload(128);
  board_timer_stop();
  if (bareprof_semihosting_open(&file, "tails.samples"))
    return 1;
  int error = bareprof_sampler_write(&sink);
  return error ? error : bareprof_semihosting_close(&file);
}
