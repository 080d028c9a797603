/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Receivers and watchdogs of QEMU's mps2-an385 and virt (RV32).
 */
#include "machine.h"

#include <stdint.h>

#ifdef __riscv

#define UART(offset) (*(volatile uint8_t *)(0x10000000u + (offset)))

void machine_start(void) {}

int uart_receive(void) { return UART(5) & 1 ? UART(0) : -1; }

/* This machine has no watchdog: the tick counts down and resets the machine. */
static volatile unsigned ticks_left;

void watchdog_kick(void) { ticks_left = 100; }

void vApplicationTickHook(void);
void vApplicationTickHook(void) {
  unsigned left = ticks_left;
  if (left == 1)
    *(volatile uint32_t *)0x100000u = 0x7777;
  if (left)
    ticks_left = left - 1;
}

#else

#define UART(offset) (*(volatile uint32_t *)(0x40004000u + (offset)))
#define WATCHDOG(offset) (*(volatile uint32_t *)(0x40008000u + (offset)))

void machine_start(void) { UART(8) = 3; /* transmit and receive */ }

int uart_receive(void) { return UART(4) & 2 ? (int)UART(0) : -1; }

/* At the first timeout the watchdog sends an NMI, at the second it resets. */
void watchdog_kick(void) {
  WATCHDOG(0xC00) = 0x1ACCE551; /* unlock */
  WATCHDOG(0) = 25000000 / 20;
  WATCHDOG(8) = 3;
}

void vApplicationTickHook(void);
void vApplicationTickHook(void) {}

#endif
