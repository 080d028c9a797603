/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the lock of atomic.c for firmware on one core: interrupts are off
 * while the lock is held. The linker takes this file only if an operation needs
 * a lock and the program does not define its own lock. overrides/lock_spin.c
 * has a lock for several cores. bareprof_options.h documents both locks.
 */
#include "bareprof_options.h"
#include "mask.h"

uintptr_t bareprof_atomic_lock(void) { return bareprof_mask_interrupts(); }

void bareprof_atomic_unlock(uintptr_t state) {
  bareprof_restore_interrupts(state);
}
