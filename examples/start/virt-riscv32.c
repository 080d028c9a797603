/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Start-up code and the UART of QEMU's virt machine (RV32).
 */
#include <stdint.h>

#include "board.h"

extern unsigned char data_start[], data_end[], data_load[];
extern unsigned char bss_start[], bss_end[];

__attribute__((naked, section(".start"), used)) void start(void) {
  __asm__ volatile("la sp, stack_top\n"
                   "j board_main");
}

#define UART(offset) (*(volatile uint8_t *)(0x10000000u + (offset)))

void uart_send(unsigned char byte) {
  while (!(UART(5) & 0x20)) {
  }
  UART(0) = byte;
}

__attribute__((used)) void board_main(void) {
  memcpy(data_start, data_load, (size_t)(data_end - data_start));
  memset(bss_start, 0, (size_t)(bss_end - bss_start));
  __libc_init_array();
  main();
  for (;;) {
  }
}
