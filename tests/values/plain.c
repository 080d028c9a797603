/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The hooks without atomic operations: with them, the same programs must show
 * wrong counts, else the tests prove nothing. (Cores that need a lock get
 * ../atomic/lock_none.c.)
 */
#define __atomic_compare_exchange_n(at, expected, desired, weak, yes, no) \
  (*(at) == *(expected) && (*(volatile uintptr_t *)(at) = (desired), true))
#define __atomic_fetch_add(at, more, order) \
  (*(volatile uintptr_t *)(at) += (more))
#include "values.c"
