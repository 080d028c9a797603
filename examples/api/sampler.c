/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_sampler.h: samples of the program counter.
 */
#include "bareprof_sampler.h"

#include "api.h"
#include "bareprof_wire.h"
BAREPROF_SAMPLER_TABLE(1024);

/* The timer's vector is bareprof_sampler_interrupt, which calls this. */
void bareprof_sampler_timer(void) {
  my_timer_clear_and_set(bareprof_sampler_interval());
}
void (*const timer_vector)(void) = bareprof_sampler_interrupt;

/* If a kernel owns the timer's entry, the kernel passes the registers instead.
 */
void kernel_timer(uintptr_t pc, uintptr_t lr, uintptr_t fp) {
  bareprof_sampler_take(pc, lr, fp);
}
/* For samples with callers: call this at each task switch. */
void task_begins(const void *stack, const void *end) {
  bareprof_sampler_stack(stack, end);
}

int measure(void) {
  bareprof_sampler_reset();
  bareprof_sampler_start(10000);
  my_timer_clear_and_set(bareprof_sampler_interval());
  test_parser();
  bareprof_sampler_stop();
  int error = bareprof_sampler_send(&uart, BAREPROF_TEXT);
  return error ? error : bareprof_sampler_write(&uart);
}

/* On request: bareprof receive --request --samples. */
void poll_requests(void) {
  int byte;
  static struct bareprof_wire samples = BAREPROF_WIRE_INIT(
      NULL, &uart, BAREPROF_SAMPLER_WIRE | BAREPROF_TEXT);

  while ((byte = uart_getc()) >= 0)
    if (bareprof_wire_feed(&samples, (uint8_t)byte))
      bareprof_sampler_serve(&samples);
}
