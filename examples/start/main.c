/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs the thermostat, and sends the counts. This file is not instrumented.
 */
#include <stddef.h>

#include "bareprof_wire.h"
#include "board.h"
#include "thermostat.h"

/* The sink: sends the bytes of the dump. Returns 0, because it sends all. */
static int to_uart(void *context, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  (void)context;
  while (size--)
    uart_send(*byte++);
  return 0;
}

static void print(const char *text) {
  while (*text)
    uart_send((unsigned char)*text++);
}

int main(void) {
  static const int degrees[] = {21, 19, 17, 18, 20, 22, 21, 19};
  const struct bareprof_sink uart = {to_uart, NULL};
  struct thermostat thermostat = {.wanted = 20};
  for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
    print(thermostat_step(&thermostat, degrees[i]) ? "heating\n" : "off\n");
  return bareprof_send(&uart, BAREPROF_TEXT);
}
