/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ARMv7-A: how generic-timer.h reaches the registers of the virtual timer.
 * arm-a.S has the entry and the vectors.
 */
#include <stdint.h>

static void timer_set(uint32_t ticks) {
  __asm__ volatile("mcr p15, 0, %0, c14, c3, 0" ::"r"(ticks));
}

static void timer_enable(uint32_t on) {
  __asm__ volatile("mcr p15, 0, %0, c14, c3, 1\n isb" ::"r"(on) : "memory");
}

static void interrupts_on(void) { __asm__ volatile("cpsie i" ::: "memory"); }

#include "generic-timer.h"
