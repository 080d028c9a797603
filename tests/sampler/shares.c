/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples of work(), SAMPLES of them, out by a file and by the wire, in both
 * forms; at the end of spin_with_frame. ROOM is the line of the sampler.
 * FRAMES: first of frame pointers that lead nowhere.
 */
#include "bareprof_semihosting.h"
#include "entry.h"
#include "work.h"
#include "../uart_sink.h"

ROOM;

enum { LAST = 20 };

static volatile uint32_t ticks;

void bareprof_sampler_timer(void) {
  ticks = ticks + 1;
  board_timer_next(bareprof_sampler_interval());
}

static int to_file(const char *name) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  if (bareprof_semihosting_open(&file, name))
    return 1;
  int error = bareprof_sampler_write(&sink);
  return error ? error : bareprof_semihosting_close(&file);
}

static void say(const char *what, uint64_t number) {
  board_puts(what);
  board_putc(' ');
  board_put_number(number);
  board_putc('\n');
}

#ifdef FRAMES
extern unsigned char stack_top[];

static void bad_frames(void) {
  const uintptr_t top = (uintptr_t)stack_top, wide = sizeof top;
  uintptr_t itself[4];
  itself[0] = itself[1] = itself[2] = itself[3] = (uintptr_t)itself;
  const uintptr_t frames[] = {0,
                              1,
                              wide,
                              ~(uintptr_t)0,
                              0 - wide,
                              0 - 2 * wide,
#ifndef __riscv
                              top, /* There a frame is below. */
#endif
                              top - wide + 1,
                              top + wide,
                              (uintptr_t)itself + 1,
                              (uintptr_t)0x90000000,
                              (uintptr_t)0x40000000};
  for (unsigned i = 0; i < sizeof frames / sizeof *frames; i++)
    spin_with_frame(frames[i], 20000);
}
#endif

int main(void) {
  const struct bareprof_sink uart = {to_uart, NULL};
  if (bareprof_sampler_write(&uart) != BAREPROF_E_EMPTY ||
      bareprof_sampler_send(&uart, BAREPROF_TEXT) != BAREPROF_E_EMPTY)
    return 2;
  bareprof_sampler_start(PERIOD);
#ifdef FRAMES
  extern unsigned char bss_end[];
  bareprof_sampler_stack(bss_end, stack_top);
#endif
  board_timer_start(PERIOD, NULL);
#ifdef FRAMES
  bad_frames();
#endif
  while (ticks < SAMPLES)
    work();
  while (ticks < SAMPLES + LAST)
    spin_with_frame(0, 1000);
  bareprof_sampler_stop();
  uint32_t stopped = ticks;
  while (ticks < stopped + 10)
    work();
  board_timer_stop();
  say("ticks", stopped);
  if (to_file("written.samples") ||
      bareprof_sampler_send(&uart, BAREPROF_TEXT) ||
      bareprof_sampler_send(&uart, BAREPROF_BINARY | BAREPROF_CORE(1)))
    return 4;
  bareprof_sampler_reset();
  return bareprof_sampler_write(&uart) == BAREPROF_E_EMPTY ? 0 : 5;
}
