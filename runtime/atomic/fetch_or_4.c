/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libatomic's function of this name. Where an optimiser knows that an atomic
 * addition adds 0, it becomes this. The lock is another member. The function
 * always gives the strongest order.
 */
#include "bareprof_atomic.h"

/* gcc's builtin of this name has unsigned, which uint32_t is not everywhere. */
unsigned __atomic_fetch_or_4(volatile void *object, unsigned operand,
                             int order);
unsigned __atomic_fetch_or_4(volatile void *object, unsigned operand,
                             int order) {
  unsigned *value = (unsigned *)object;
  uintptr_t state = bareprof_atomic_lock();
  unsigned old = *value;
  *value = old | operand;
  bareprof_atomic_unlock(state);
  (void)order;
  return old;
}
