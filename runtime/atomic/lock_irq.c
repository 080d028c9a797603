/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lock of the atomic operations for one core: interrupts are off while
 * it is held. A member of its own, linked only with an operation that needs
 * it, and only if the program defines no lock itself; lock_spin.c is the one
 * for several cores. The header is the manual.
 */
#include "bareprof_options.h"
#include "mask.h"

uintptr_t bareprof_atomic_lock(void) { return bareprof_mask_interrupts(); }

void bareprof_atomic_unlock(uintptr_t state) {
  bareprof_restore_interrupts(state);
}
