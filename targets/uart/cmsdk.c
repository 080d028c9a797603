/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The UART of Arm's Cortex-M System Design Kit (MPS2 and MPS3 boards),
 * polled. UART_BASE is its address. The baud rate is the fastest one, which
 * QEMU accepts and ignores.
 */
#include "board.h"
#include "start.h"

#define REGISTER(offset) (*(volatile uint32_t *)(UART_BASE + (offset)))
#define DATA REGISTER(0x00)
#define STATE REGISTER(0x04)
#define CTRL REGISTER(0x08)
#define BAUDDIV REGISTER(0x10)

enum { TX_FULL = 1, RX_FULL = 2, TX_ENABLE = 1, RX_ENABLE = 2 };

void board_uart_init(void) {
  BAUDDIV = 16;
  CTRL = TX_ENABLE | RX_ENABLE;
}

void board_putc(char byte) {
  while (STATE & TX_FULL) {
  }
  DATA = (unsigned char)byte;
}

int board_getc(void) { return STATE & RX_FULL ? (int)(DATA & 0xff) : -1; }
