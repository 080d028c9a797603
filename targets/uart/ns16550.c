/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The 16550 UART with byte-wide registers (RISC-V virt machines), polled.
 * UART_BASE is its address. QEMU needs no baud rate.
 */
#include "board.h"
#include "start.h"

#define REGISTER(offset) (*(volatile uint8_t *)(UART_BASE + (offset)))
#define DATA REGISTER(0)
#define LCR REGISTER(3)
#define LSR REGISTER(5)

enum { LCR_8N1 = 3, LSR_RX_READY = 1 << 0, LSR_TX_EMPTY = 1 << 5 };

void board_uart_init(void) { LCR = LCR_8N1; }

void board_putc(char byte) {
  while (!(LSR & LSR_TX_EMPTY)) {
  }
  DATA = (uint8_t)byte;
}

int board_getc(void) { return LSR & LSR_RX_READY ? DATA : -1; }
