/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What -fprofile-update=atomic calls to set bits of an MC/DC bitmap, where
 * the core has no atomic instructions at all (ARMv6-M, RISC-V without A):
 * libatomic's function of that name. The lock is another member; whatever
 * the order asked for, it gives the strongest.
 */
#include "bareprof_atomic.h"

uint8_t __atomic_fetch_or_1(volatile void *object, uint8_t operand, int order);
uint8_t __atomic_fetch_or_1(volatile void *object, uint8_t operand, int order) {
  uint8_t *value = (uint8_t *)object;
  uintptr_t state = bareprof_atomic_lock();
  uint8_t old = *value;
  *value = (uint8_t)(old | operand);
  bareprof_atomic_unlock(state);
  (void)order;
  return old;
}
