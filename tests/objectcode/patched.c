/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Code that changes while it runs.
 */
#include <stdint.h>

unsigned patched(void);
__asm__(".section .patched,\"awx\",%progbits\n"
        ".thumb_func\n"
        ".type patched,%function\n"
        ".global patched\n"
        "patched: movs r0, #1\n"
        "bx lr\n"
        ".size patched, .-patched\n"
        ".text\n");

int main(void) {
  unsigned first = patched();
  *(volatile uint16_t *)((uintptr_t)patched & ~(uintptr_t)1) = 0x2002;
  __asm__ volatile("dsb\n isb" ::: "memory");
  return first != 1 || patched() != 2;
}
