/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiny dumps of flags over the UART, each of another state, with its reference
 * in N.profraw: TEXT, BINARY, then bits.
 */
#include "bareprof_tiny.h"
#include "board.h"
#include "parts.h"

static int put(void *context, unsigned char byte) {
  (void)context;
  return to_uart("uart", &byte, 1);
}

static void put_bit_by_bit(unsigned char byte) { to_uart("uart", &byte, 1); }

static int send(unsigned number) {
  if (number == 1)
    return bareprof_tiny_send_text(put, NULL);
  return number == 2 ? bareprof_tiny_send(put, NULL)
                     : bareprof_tiny_send_bits(put_bit_by_bit);
}

int main(void) {
  if (bareprof_tiny_send_bits(put_bit_by_bit) != BAREPROF_E_NOT_INIT)
    return 1;
#ifdef MCDC
  bareprof_tiny_init_flags();
#else
  bareprof_tiny_init_bits();
#endif
  board_puts("boot\r\n");
  for (unsigned number = 1; number <= 3; number++) {
    char name[] = "0.profraw";
    name[0] = (char)('0' + number);
    work(number);
    int error = write_reference(name);
    board_puts("log\r\n");
    error |= send(number);
    board_puts(error ? "failed\r\n" : "sent\r\n");
  }
  return 0;
}
