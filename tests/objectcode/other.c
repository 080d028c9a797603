/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An ELF that another one calls. Its entry is its first function.
 */
#include "shared.h"

/* As the jump may lead anywhere, the plugin must watch the branch. */
__attribute__((naked, noinline)) static void turned(unsigned n) {
  __asm__ volatile("and r1, r0, #2\n"
                   "add pc, r1\n"
                   "nop\n"
                   "nop\n"
                   "cmp r0, #3\n"
                   "beq 1f\n"
                   "nop\n"
                   "1: bx lr\n");
}

__attribute__((section(".entry"))) unsigned other(unsigned n) {
  for (unsigned i = 0; i < 6; i++)
    turned(i);
  return shared(n);
}
