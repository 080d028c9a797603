/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Plain accesses to data that interrupts, tasks or other cores change: one load
 * or one store of up to a word, on any core. The compiler must not split,
 * repeat or drop the access. Without atomic instructions the compiler would
 * call functions for these; on such a core volatile is enough.
 *
 * LOAD and STORE give no order. If LOAD_ACQUIRE reads the value of a
 * STORE_RELEASE, all stores before that one are visible too.
 */
#ifndef BAREPROF_RUNTIME_SHARED_H
#define BAREPROF_RUNTIME_SHARED_H

#include <stdint.h>

/* A word of memory that other code reads or writes with another width: a
 * counter, its halves, the guard. The compiler must not conclude from the type
 * that two accesses are of different memory. */
typedef uint32_t __attribute__((may_alias)) bareprof_any32;
typedef uint64_t __attribute__((may_alias)) bareprof_any64;

#ifdef BAREPROF_FOREIGN
/* A host tool shares its data with nothing. */
#define BAREPROF_LOAD(at) (*(at))
#elif __GCC_ATOMIC_POINTER_LOCK_FREE == 2
#define BAREPROF_LOAD(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define BAREPROF_STORE(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)
#define BAREPROF_LOAD_ACQUIRE(at) __atomic_load_n(at, __ATOMIC_ACQUIRE)
#define BAREPROF_STORE_RELEASE(at, value) \
  __atomic_store_n(at, value, __ATOMIC_RELEASE)
#else
#define BAREPROF_LOAD(at) (*(const volatile __typeof__(*(at)) *)(at))
#define BAREPROF_STORE(at, value) \
  ((void)(*(volatile __typeof__(*(at)) *)(at) = (value)))
#define BAREPROF_LOAD_ACQUIRE(at) bareprof_acquired(BAREPROF_LOAD(at))
#define BAREPROF_STORE_RELEASE(at, value) \
  (__atomic_thread_fence(__ATOMIC_RELEASE), BAREPROF_STORE(at, value))

static inline __UINTPTR_TYPE__ bareprof_acquired(__UINTPTR_TYPE__ value) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return value;
}
#endif

#endif
