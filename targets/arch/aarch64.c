/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * AArch64: how generic-timer.h reaches the registers of the virtual timer.
 * aarch64.S has the entry and the vectors.
 */
#include <stdint.h>

static void timer_set(uint32_t ticks) {
  __asm__ volatile("msr cntv_tval_el0, %0" ::"r"((uint64_t)ticks));
}

static void timer_enable(uint32_t on) {
  __asm__ volatile("msr cntv_ctl_el0, %0\n isb" ::"r"((uint64_t)on) : "memory");
}

static void interrupts_on(void) {
  __asm__ volatile("msr daifclr, #2" ::: "memory");
}

#include "generic-timer.h"
