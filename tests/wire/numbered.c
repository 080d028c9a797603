/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Starts three times, by the machine's reset, and sends a dump each time: the
 * number of the start is bareprof_boot_number's, which is linked by -u.
 */
#include "bareprof_wire.h"
#include "board.h"
#include "parts.h"

extern uint64_t __bareprof_guard;

int main(void) {
  const struct bareprof_sink uart = {to_uart, NULL};
  unsigned number = (unsigned)(__bareprof_guard >> 32);
  work(number);
  int error = bareprof_send(&uart, BAREPROF_TEXT | BAREPROF_LEAN);
  board_puts("sent\r\n");
  if (!error && number < 3)
    board_reset();
  return error;
}
