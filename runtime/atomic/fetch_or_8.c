/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sets bits in 64 of them, where the core has no such operation: libatomic's
 * function of that name. The lock is another member; whatever the order
 * asked for, it gives the strongest.
 */
#include "bareprof_atomic.h"

uint64_t __atomic_fetch_or_8(volatile void *object, uint64_t operand,
                             int order);
uint64_t __atomic_fetch_or_8(volatile void *object, uint64_t operand,
                             int order) {
  uint64_t *value = (uint64_t *)object;
  uintptr_t state = bareprof_atomic_lock();
  uint64_t old = *value;
  *value = old | operand;
  bareprof_atomic_unlock(state);
  (void)order;
  return old;
}
