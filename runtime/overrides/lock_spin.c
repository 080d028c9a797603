/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the lock of atomic.c for firmware on several cores. The core that
 * holds the lock has its interrupts off, and has set a word in memory that one
 * core at a time can set. The file is not in the archive: `make lib` puts it
 * next to the archive as bareprof-lock-spin.o, to name on the link line. The
 * lock needs an atomic swap: RISC-V with the A extension, or Arm with LDREX and
 * STREX. bareprof_options.h documents the lock.
 */
#include "bareprof_options.h"
#include "../atomic/mask.h"

#if !defined(__riscv_atomic) && !(__ARM_FEATURE_LDREX & 4)
#error "no atomic swap: use the chip's own lock, see bareprof_options.h"
#endif

static uint32_t held;

/* A waiting core has its interrupts on: interrupts are off only while this core
 * holds the lock, not while other cores hold it. */
uintptr_t bareprof_atomic_lock(void) {
  for (;;) {
    uintptr_t state = bareprof_mask_interrupts();
    if (!__atomic_exchange_n(&held, 1, __ATOMIC_SEQ_CST))
      return state;
    bareprof_restore_interrupts(state);
    while (__atomic_load_n(&held, __ATOMIC_RELAXED)) {
    }
  }
}

void bareprof_atomic_unlock(uintptr_t state) {
  __atomic_store_n(&held, 0, __ATOMIC_SEQ_CST);
  bareprof_restore_interrupts(state);
}
