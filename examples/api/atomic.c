/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_options.h: a lock of your own for counts on a core without atomic
 * instructions. Here: one core whose interrupts never count.
 */
#include "bareprof_options.h"

uintptr_t bareprof_atomic_lock(void) { return 0; }
void bareprof_atomic_unlock(uintptr_t state) { (void)state; }
