/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What -fprofile-update=atomic calls to count, where the core has no 64-bit
 * atomic addition: libatomic's function of that name. The lock is another
 * member; whatever the order asked for, it gives the strongest.
 */
#include "bareprof_atomic.h"

uint64_t __atomic_fetch_add_8(volatile void *object, uint64_t operand,
                              int order);
uint64_t __atomic_fetch_add_8(volatile void *object, uint64_t operand,
                              int order) {
  uint64_t *value = (uint64_t *)object;
  uintptr_t state = bareprof_atomic_lock();
  uint64_t old = *value;
  *value = old + operand;
  bareprof_atomic_unlock(state);
  (void)order;
  return old;
}
