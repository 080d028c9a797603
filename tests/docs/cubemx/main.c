/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints with newlib, calls the measured code, sends the profile.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bareprof_wire.h"

int gear_for(int speed, int climbing);

#define UART(offset) (*(volatile uint32_t *)(0x40004000u + (offset)))

static void uart_send(unsigned char byte) {
  while (UART(4) & 1) {
  }
  UART(0) = byte;
}

int _write(int file, const char *bytes, int size) {
  (void)file;
  for (int i = 0; i < size; i++)
    uart_send((unsigned char)bytes[i]);
  return size;
}

static int to_uart(void *context, const void *bytes, size_t size) {
  (void)context;
  _write(1, bytes, (int)size);
  return 0;
}

int main(void) {
  const struct bareprof_sink uart = {to_uart, NULL};
  UART(16) = 16;
  UART(8) = 1;
  bareprof_init();
  /* From the heap, which must not lie over the counters. */
  int *speeds = malloc(40 * sizeof *speeds);
  for (int i = 0; i < 40; i++)
    speeds[i] = 3 * i;
  for (int i = 0; i < 40; i += 13)
    printf("%d km/h: gear %d\n", speeds[i], gear_for(speeds[i], 0));
  free(speeds);
  fflush(stdout);
  return bareprof_send(&uart, BAREPROF_TEXT);
}
