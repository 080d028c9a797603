/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ARMv7-A: the virtual timer of the generic timer. The rest is in arm-a.S.
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
