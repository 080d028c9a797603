/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libatomic's function of this name. Code compiled with -fprofile-update=atomic
 * calls it to set bits of an MC/DC bitmap if the core has no atomic
 * instructions at all (ARMv6-M, RISC-V without A). The lock is another member.
 * The function always gives the strongest order.
 */
#include "locked.h"

uint8_t __atomic_fetch_or_1(volatile void *object, uint8_t operand, int order);
uint8_t __atomic_fetch_or_1(volatile void *object, uint8_t operand, int order) {
  (void)order;
  BAREPROF_LOCKED(uint8_t, *value = (uint8_t)(old | operand));
}
