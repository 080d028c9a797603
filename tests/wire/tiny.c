/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiny dumps over the UART, each of another state of the counters, with its
 * reference in N.profraw: TEXT, BINARY, BINARY again.
 */
#include "bareprof_tiny.h"
#include "board.h"
#include "parts.h"

enum { TAKEN = 100, REFUSED = 42 };

/* Refuses after some bytes, if told to. */
static int put(void *context, unsigned char byte) {
  unsigned *left = context;
  if (left && !(*left)--)
    return REFUSED;
  return to_uart("uart", &byte, 1);
}

static int stops(void) {
  unsigned left = TAKEN;
  return bareprof_tiny_send(put, &left) != REFUSED || left != UINT32_MAX;
}

int main(void) {
  if (bareprof_tiny_send(put, NULL) != BAREPROF_E_NOT_INIT ||
      bareprof_tiny_send_text(put, NULL) != BAREPROF_E_NOT_INIT)
    return 1;
  bareprof_tiny_init();
  board_puts("boot\r\n");
  for (unsigned number = 1; number <= 3; number++) {
    char name[] = "0.profraw";
    name[0] = (char)('0' + number);
    work(number);
    int error = write_reference(name);
    board_puts("log\r\n");
    error |= number == 1 ? bareprof_tiny_send_text(put, NULL)
                         : bareprof_tiny_send(put, NULL);
    board_puts(error ? "failed\r\n" : "sent\r\n");
  }
  return stops();
}
