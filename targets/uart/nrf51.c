/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The UART of the nRF51 (micro:bit), polled. UART_BASE is its address. Pins
 * and baud rate keep their reset values, which is enough for QEMU and not for
 * the real chip.
 */
#include "board.h"
#include "start.h"

#define REGISTER(offset) (*(volatile uint32_t *)(UART_BASE + (offset)))
#define STARTRX REGISTER(0x000)
#define STARTTX REGISTER(0x008)
#define RXDRDY REGISTER(0x108)
#define TXDRDY REGISTER(0x11c)
#define ENABLE REGISTER(0x500)
#define RXD REGISTER(0x518)
#define TXD REGISTER(0x51c)

void board_uart_init(void) {
  ENABLE = 4;
  STARTTX = 1;
  STARTRX = 1;
}

void board_putc(char byte) {
  TXDRDY = 0;
  TXD = (unsigned char)byte;
  while (!TXDRDY) {
  }
}

int board_getc(void) {
  if (!RXDRDY)
    return -1;
  RXDRDY = 0; /* first: after the read, the next byte may set it */
  return (int)(RXD & 0xff);
}
