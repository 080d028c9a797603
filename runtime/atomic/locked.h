/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The body of a function that changes *object, a number of this type, while the
 * lock is held, and returns the old number. change is a statement with `value`,
 * the number's address, and `old`.
 */
#ifndef BAREPROF_RUNTIME_LOCKED_H
#define BAREPROF_RUNTIME_LOCKED_H

#include "bareprof_atomic.h"

#define BAREPROF_LOCKED(type, change)       \
  type *value = (type *)object;             \
  uintptr_t state = bareprof_atomic_lock(); \
  type old = *value;                        \
  change;                                   \
  bareprof_atomic_unlock(state);            \
  return old

#endif
