/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The generic timer of A-profile cores, and the interrupt controller (GICv2)
 * of QEMU's virt machine. aarch64.c and arm-a.c include this file, and define
 * before it timer_set (ticks from now on), timer_enable and interrupts_on.
 * Devices are little-endian, so a big-endian core swaps the bytes.
 */
#include "board.h"

#define GIC_DISTRIBUTOR 0x08000000
#define GIC_INTERFACE 0x08010000
enum { CTLR = 0, PMR = 4, IAR = 0xc, EOIR = 0x10, ISENABLER = 0x100 };
enum { TIMER_NUMBER = 27, NONE = 1023 };

static uint32_t timer_interval;
static void (*volatile timer_handler)(void);

static uint32_t swap_if_big(uint32_t value) {
  return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(value)
                                                : value;
}

static void set_register(uintptr_t address, uint32_t value) {
  *(volatile uint32_t *)address = swap_if_big(value);
}

/* The timer keeps requesting its interrupt until it is set again, so timer_set
 * comes before the write that ends the interrupt in the controller. */
void board_timer_next(uint32_t interval) {
  uint32_t number = swap_if_big(*(volatile uint32_t *)(GIC_INTERFACE + IAR));
  timer_set(interval);
  if ((number & NONE) != NONE)
    set_register(GIC_INTERFACE + EOIR, number);
}

/* The entry code of an architecture calls this. */
void timer_tick(void);
void timer_tick(void) {
  board_timer_next(timer_interval);
  if (timer_handler)
    timer_handler();
}

void board_timer_start(uint32_t interval, void (*handler)(void)) {
  timer_interval = interval;
  timer_handler = handler;
  set_register(GIC_DISTRIBUTOR + CTLR, 1);
  set_register(GIC_DISTRIBUTOR + ISENABLER, UINT32_C(1) << TIMER_NUMBER);
  set_register(GIC_INTERFACE + PMR, 0xff);
  set_register(GIC_INTERFACE + CTLR, 1);
  timer_set(interval);
  timer_enable(1);
  interrupts_on();
}

void board_timer_stop(void) { timer_enable(0); }
