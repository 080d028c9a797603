/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * clang 13 and 14 call this function on ARMv6-M to count with 32 bits.
 * Compilers know the name as a builtin and refuse to define it, so the
 * assembler gets the name.
 */
#include "locked.h"

uint32_t
bareprof_sync_add_4(volatile void *object,
                    uint32_t operand) __asm__("__sync_fetch_and_add_4");
uint32_t bareprof_sync_add_4(volatile void *object, uint32_t operand) {
  BAREPROF_LOCKED(uint32_t, *value = old + operand);
}
