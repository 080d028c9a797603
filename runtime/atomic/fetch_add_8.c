/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libatomic's function of this name. Code compiled with -fprofile-update=atomic
 * calls it to count if the core has no 64-bit atomic addition. The lock is
 * another member. The function always gives the strongest order.
 */
#include "locked.h"

uint64_t __atomic_fetch_add_8(volatile void *object, uint64_t operand,
                              int order);
uint64_t __atomic_fetch_add_8(volatile void *object, uint64_t operand,
                              int order) {
  (void)order;
  BAREPROF_LOCKED(uint64_t, *value = old + operand);
}
