/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A device of the fleet: does random work, sends the counts since the last
 * delta, prints the number of strokes, and starts again. QEMU loads its number
 * and how many deltas it sends. `run` delivers the deltas.
 */
#include "bareprof_wire.h"
#include "board.h"
#include "pump.h"
#include "../uart_sink.h"

/* In a RAM that nothing else uses. */
static const volatile uint32_t *const told = (const uint32_t *)0x21000000;

static uint32_t chance(uint32_t *state) {
  *state = *state * 1664525 + 1013904223;
  return *state >> 20;
}

int main(void) {
  const struct bareprof_sink uart = {to_uart, NULL};
  uint32_t device = told[0], deltas = told[1], state = device * 77 + 5;
  int error = 0;
  for (uint32_t i = 0; i < deltas; i++) {
    uint32_t strokes = chance(&state) % 40 + 1;
    for (uint32_t k = 0; k < strokes; k++)
      pump(chance(&state));
    if (device % 25 == 3 && i == 2)
      vent();
    board_puts("delta ");
    board_put_number(strokes);
    board_puts("\n");
    error |= bareprof_send(&uart, BAREPROF_TEXT | BAREPROF_LEAN |
                                      BAREPROF_BOOT(device));
    bareprof_reset();
  }
  board_puts(error ? "broken\n" : "done\n");
  return error;
}
