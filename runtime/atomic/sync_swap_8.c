/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * clang 13 and 14 call this function on Arm at -O0, in a loop, to count with
 * -fprofile-update=atomic: it stores desired if the value is still expected.
 * Compilers know the name as a builtin and refuse to define it, so the
 * assembler gets the name.
 */
#include "locked.h"

uint64_t
bareprof_sync_swap_8(volatile void *object, uint64_t expected,
                     uint64_t desired) __asm__("__sync_val_compare_and_swap_8");
uint64_t bareprof_sync_swap_8(volatile void *object, uint64_t expected,
                              uint64_t desired) {
  BAREPROF_LOCKED(uint64_t, if (old == expected) *value = desired);
}
