/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "operations.h"

/* A core reads 32 bits in one access, so the load needs no lock. */
unsigned __atomic_load_4(const volatile void *object, int order);
unsigned __atomic_load_4(const volatile void *object, int order) {
  unsigned value = *(const volatile unsigned *)object;
  __asm__ volatile("" ::: "memory");
  (void)order;
  return value;
}
