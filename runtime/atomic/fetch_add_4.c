/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libatomic's function of this name. Code that counts with 32 bits calls it if
 * the core has no atomic instructions at all (ARMv6-M, RISC-V without A). The
 * lock is another member. The function always gives the strongest order.
 */
#include "bareprof_atomic.h"

uint32_t __atomic_fetch_add_4(volatile void *object, uint32_t operand,
                              int order);
uint32_t __atomic_fetch_add_4(volatile void *object, uint32_t operand,
                              int order) {
  uint32_t *value = (uint32_t *)object;
  uintptr_t state = bareprof_atomic_lock();
  uint32_t old = *value;
  *value = old + operand;
  bareprof_atomic_unlock(state);
  (void)order;
  return old;
}
