/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The board's UART as a sink.
 */
#ifndef UART_SINK_H
#define UART_SINK_H

#include <stddef.h>

#include "board.h"

static inline int to_uart(void *context, const void *bytes, size_t size) {
  (void)context;
  for (const char *at = bytes; size; size--)
    board_putc(*at++);
  return 0;
}

#endif
