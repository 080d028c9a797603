/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sets and restores the interrupt mask of the running core, for the locks. The
 * mask is PRIMASK on Arm's M-profile, mstatus.MIE on RISC-V in machine mode;
 * docs/reference/options.md lists the interrupts that it does not stop. The asm
 * keeps the compiler from moving memory accesses across the change of the mask;
 * the core itself executes accesses in program order.
 */
#ifndef BAREPROF_RUNTIME_MASK_H
#define BAREPROF_RUNTIME_MASK_H

#include <stdint.h>

#if defined(__arm__) && __ARM_ARCH_PROFILE == 'M'

static inline uintptr_t bareprof_mask_interrupts(void) {
  uintptr_t state;
  __asm__ volatile("mrs %0, primask\n cpsid i" : "=r"(state)::"memory");
  return state;
}

static inline void bareprof_restore_interrupts(uintptr_t state) {
  __asm__ volatile("msr primask, %0" ::"r"(state) : "memory");
}

#elif defined(__riscv)

#define BAREPROF_MSTATUS_MIE 8

static inline uintptr_t bareprof_mask_interrupts(void) {
  uintptr_t state;
  __asm__ volatile("csrrci %0, mstatus, %1"
                   : "=r"(state)
                   : "i"(BAREPROF_MSTATUS_MIE)
                   : "memory");
  return state;
}

/* Sets MIE if it was set before bareprof_mask_interrupts cleared it. Other bits
 * of mstatus may have changed since, so only MIE is written. */
static inline void bareprof_restore_interrupts(uintptr_t state) {
  __asm__ volatile("csrs mstatus, %0" ::"r"(state & BAREPROF_MSTATUS_MIE)
                   : "memory");
}

#else
#error "no interrupt mask known: write the two functions of bareprof_options.h"
#endif

#endif
