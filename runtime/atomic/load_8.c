/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "operations.h"

uint64_t __atomic_load_8(const volatile void *object, int order);
uint64_t __atomic_load_8(const volatile void *object, int order) {
  uintptr_t state = bareprof_atomic_lock();
  uint64_t value = *(const volatile uint64_t *)object;
  bareprof_atomic_unlock(state);
  (void)order;
  return value;
}
