/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Plain accesses to what interrupts, tasks or other cores change meanwhile:
 * one load or one store of up to a word, whatever the core. The compiler may
 * neither cut, repeat nor drop it. Where the core has no atomic instructions
 * the compiler would call functions for these; volatile is what such a core
 * needs.
 *
 * LOAD and STORE give no order. Who sees what STORE_RELEASE has stored, by
 * LOAD_ACQUIRE, also sees all that was stored before it.
 */
#ifndef BAREPROF_RUNTIME_SHARED_H
#define BAREPROF_RUNTIME_SHARED_H

#ifdef BAREPROF_FOREIGN
/* Nobody else is at what a host tool reads. */
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
