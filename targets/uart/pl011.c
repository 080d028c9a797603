/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arm's PrimeCell UART PL011 (virt machines), polled. UART_BASE is its
 * address. Its registers are little-endian, so a big-endian core swaps the
 * bytes. QEMU needs no baud rate.
 */
#include "board.h"
#include "start.h"

#define DR 0x00
#define FR 0x18
#define CR 0x30

enum { FR_RX_EMPTY = 1 << 4, FR_TX_FULL = 1 << 5 };
enum { CR_ENABLE = 1 << 0, CR_TX = 1 << 8, CR_RX = 1 << 9 };

static uint32_t swap_if_big(uint32_t value) {
  return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(value)
                                                : value;
}

static uint32_t get_register(uintptr_t offset) {
  return swap_if_big(*(volatile uint32_t *)(UART_BASE + offset));
}

static void set_register(uintptr_t offset, uint32_t value) {
  *(volatile uint32_t *)(UART_BASE + offset) = swap_if_big(value);
}

void board_uart_init(void) { set_register(CR, CR_ENABLE | CR_TX | CR_RX); }

void board_putc(char byte) {
  while (get_register(FR) & FR_TX_FULL) {
  }
  set_register(DR, (unsigned char)byte);
}

int board_getc(void) {
  return get_register(FR) & FR_RX_EMPTY ? -1 : (int)(get_register(DR) & 0xff);
}
