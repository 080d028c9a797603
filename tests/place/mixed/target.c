/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Firmware of the images of any kinds; with SEND, it sends its counts.
 */
#include <stddef.h>

#include "board.h"

int program(void);

#ifdef SEND
#include "bareprof_wire.h"

static int to_uart(void *context, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  (void)context;
  while (size--)
    uart_send(*byte++);
  return 0;
}
#endif

int main(void) {
  volatile int sum = program();
  (void)sum;
#ifdef SEND
  const struct bareprof_sink uart = {to_uart, NULL};
  return bareprof_send(&uart, SEND);
#else
  return 0;
#endif
}
