/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A lock that does not lock: with it, the same programs must show wrong
 * counts, else the tests prove nothing.
 */
#include "bareprof_options.h"

uintptr_t bareprof_atomic_lock(void) { return 0; }
void bareprof_atomic_unlock(uintptr_t state) { (void)state; }
