/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * clang 13 and 14 call this function on ARMv6-M at -O0, in a loop, to count
 * with 32 bits: it stores desired if the value is still expected.
 * Compilers know the name as a builtin and refuse to define it, so the
 * assembler gets the name.
 */
#include "bareprof_atomic.h"

uint32_t
bareprof_sync_swap_4(volatile void *object, uint32_t expected,
                     uint32_t desired) __asm__("__sync_val_compare_and_swap_4");
uint32_t bareprof_sync_swap_4(volatile void *object, uint32_t expected,
                              uint32_t desired) {
  uint32_t *value = (uint32_t *)object;
  uintptr_t state = bareprof_atomic_lock();
  uint32_t old = *value;
  if (old == expected)
    *value = desired;
  bareprof_atomic_unlock(state);
  return old;
}
