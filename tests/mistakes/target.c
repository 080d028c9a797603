/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Firmware for `run --gdb`: it works, and then does what its -D says.
 */
#include "board.h"

static volatile int turns;

__attribute__((noinline)) static void work(void) { turns++; }

#if defined(FAULT)
static void end(void) { *(volatile int *)0x60000000 = 1; }
#elif defined(RESET)
/* Works three times before the reset of a Cortex-M, once after it. */
static void end(void) {
  volatile int *kept = (volatile int *)0x2000F000;
  if (*kept == 0x1234)
    return;
  *kept = 0x1234;
  work();
  work();
  *(volatile unsigned *)0xE000ED0C = 0x05FA0004;
  for (;;) {
  }
}
#elif defined(OFF)
__attribute__((noinline)) void power_off(void) {
  *(volatile unsigned *)0x100000 = 0x5555;
}
static void end(void) { power_off(); }
#elif defined(TEXT)
static void end(void) {
  for (const char *at = "hello\n"; *at; at++)
    uart_send((unsigned char)*at);
}
#else
static void end(void) {}
#endif

#ifdef CLEARED
void before(void);
void before(void) { turns = 1; }
void after(void);
void after(void) { turns = 2; }
#endif

int main(void) {
#ifdef UART
  uart_send('u');
#endif
  work();
  end();
  return 0;
}
