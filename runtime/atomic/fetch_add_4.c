/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libatomic's function of this name. Code that counts with 32 bits calls it if
 * the core has no atomic instructions at all (ARMv6-M, RISC-V without A). The
 * lock is another member. The function always gives the strongest order.
 */
#include "locked.h"

/* gcc's builtin of this name has unsigned, which uint32_t is not everywhere. */
unsigned __atomic_fetch_add_4(volatile void *object, unsigned operand,
                              int order);
unsigned __atomic_fetch_add_4(volatile void *object, unsigned operand,
                              int order) {
  (void)order;
  BAREPROF_LOCKED(unsigned, *value = old + operand);
}
