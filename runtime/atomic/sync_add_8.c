/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * clang 13 and 14 call this function on Arm to count with
 * -fprofile-update=atomic. Compilers know the name as a builtin and refuse to
 * define it, so the assembler gets the name.
 */
#include "locked.h"

uint64_t
bareprof_sync_add_8(volatile void *object,
                    uint64_t operand) __asm__("__sync_fetch_and_add_8");
uint64_t bareprof_sync_add_8(volatile void *object, uint64_t operand) {
  BAREPROF_LOCKED(uint64_t, *value = old + operand);
}
