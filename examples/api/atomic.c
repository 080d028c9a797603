/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_options.h: your own lock around each count, for a core without
 * atomic instructions. In this example no interrupt counts, so the lock is
 * empty.
 */
#include "bareprof_options.h"

uintptr_t bareprof_atomic_lock(void) { return 0; }
void bareprof_atomic_unlock(uintptr_t state) { (void)state; }
