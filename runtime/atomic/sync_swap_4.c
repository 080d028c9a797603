/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * clang 13 and 14 call this function on ARMv6-M at -O0, in a loop, to count
 * with 32 bits: it stores desired if the value is still expected.
 * Compilers know the name as a builtin and refuse to define it, so the
 * assembler gets the name.
 */
#include "locked.h"

uint32_t
bareprof_sync_swap_4(volatile void *object, uint32_t expected,
                     uint32_t desired) __asm__("__sync_val_compare_and_swap_4");
uint32_t bareprof_sync_swap_4(volatile void *object, uint32_t expected,
                              uint32_t desired) {
  BAREPROF_LOCKED(uint32_t, if (old == expected) *value = desired);
}
