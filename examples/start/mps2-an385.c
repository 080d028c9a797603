/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Start-up code and the UART of QEMU's mps2-an385 (Cortex-M3).
 */
#include <stdint.h>

#include "board.h"

extern unsigned char data_start[], data_end[], data_load[];
extern unsigned char bss_start[], bss_end[];
extern uint32_t stack_top[];

void reset(void);
__attribute__((used)) static void stop(void) {
  for (;;) {
  }
}

/* An RTOS has handlers of these names. */
__attribute__((weak, alias("stop"))) void SVC_Handler(void);
__attribute__((weak, alias("stop"))) void PendSV_Handler(void);
__attribute__((weak, alias("stop"))) void SysTick_Handler(void);

__attribute__((section(".vectors"),
               used)) static const void *const vectors[16] = {
    [0] = stack_top,
    [1] = (void *)reset,
    [2] = (void *)stop,
    [3] = (void *)stop,
    [11] = (void *)SVC_Handler,
    [14] = (void *)PendSV_Handler,
    [15] = (void *)SysTick_Handler};

#define UART(offset) (*(volatile uint32_t *)(0x40004000u + (offset)))

void uart_send(unsigned char byte) {
  while (UART(4) & 1) {
  }
  UART(0) = byte;
}

void reset(void) {
  memcpy(data_start, data_load, (size_t)(data_end - data_start));
  memset(bss_start, 0, (size_t)(bss_end - bss_start));
  UART(16) = 16; /* baud rate divider */
  UART(8) = 1;   /* transmit */
  __libc_init_array();
  main();
  stop();
}
