/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libatomic's function of this name. clang 14 makes an atomic addition of 0 a
 * load. A core reads 32 bits in one access, so this needs no lock.
 */
#include <stdint.h>

/* gcc's builtin of this name has unsigned, which uint32_t is not everywhere. */
unsigned __atomic_load_4(const volatile void *object, int order);
unsigned __atomic_load_4(const volatile void *object, int order) {
  unsigned value = *(const volatile unsigned *)object;
  __asm__ volatile("" ::: "memory");
  (void)order;
  return value;
}
