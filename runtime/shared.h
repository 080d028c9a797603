/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines functions that access memory which interrupts, tasks or other cores
 * also access, functions that call a sink, and two hints for the compiler.
 *
 * BAREPROF_LOAD and BAREPROF_STORE make exactly one access of up to a word: the
 * compiler must not split, repeat or drop the access. On a core without atomic
 * instructions the compiler would call functions for atomic accesses; there the
 * macros use volatile, which is enough.
 *
 * BAREPROF_LOAD and BAREPROF_STORE do not order accesses. If
 * BAREPROF_LOAD_ACQUIRE reads the value that a BAREPROF_STORE_RELEASE has
 * stored, all stores before the release are visible, too.
 */
#ifndef BAREPROF_RUNTIME_SHARED_H
#define BAREPROF_RUNTIME_SHARED_H

#include "bareprof.h"

/* Marks functions that would need more registers than a core has, if they were
 * inlined. */
#define BAREPROF_NOINLINE __attribute__((noinline))

/* Hides from the compiler where the value came from, so that the compiler keeps
 * the value in a register, and does not compute it again. The asm emits no
 * code. */
#define BAREPROF_KEEP(value) __asm__("" : "+r"(value))

/* A word of memory that other code accesses with another width: a counter, its
 * halves, the guard. The attribute keeps the compiler from assuming that such
 * accesses do not overlap. */
typedef uint32_t __attribute__((may_alias)) bareprof_any32;
typedef uint64_t __attribute__((may_alias)) bareprof_any64;

#ifdef BAREPROF_FOREIGN
/* The host tool works on its own data, so plain accesses are enough. */
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
#define BAREPROF_LOAD_ACQUIRE(at) bareprof_fence_load(BAREPROF_LOAD(at))
#define BAREPROF_STORE_RELEASE(at, value) \
  (__atomic_thread_fence(__ATOMIC_RELEASE), BAREPROF_STORE(at, value))

/* Returns a loaded value. No later access happens before the load. */
static inline __UINTPTR_TYPE__ bareprof_fence_load(__UINTPTR_TYPE__ value) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return value;
}
#endif

#ifndef BAREPROF_FOREIGN
/* Reads both halves of a counter as of the same instant. A 32-bit core needs
 * two loads. If an interrupt between the two loads counts and carries into the
 * high half, the high half has changed when it is read again, and the loop
 * repeats. */
static inline uint64_t bareprof_read_counter(const unsigned char *counter) {
#if UINTPTR_MAX == UINT32_MAX
  enum { HIGH = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };
  const volatile bareprof_any32 *halves =
      (const volatile bareprof_any32 *)(uintptr_t)counter;
  uint32_t high, low;
  do {
    high = halves[HIGH];
    low = halves[!HIGH];
  } while (halves[HIGH] != high);
  return (uint64_t)high << 32 | low;
#else
  return *(const volatile bareprof_any64 *)(uintptr_t)counter;
#endif
}

/* ---- stores of 64-bit words ----
 *
 * fill_word writes counters, bitmaps, the guard word, notes and the raw section
 * of Machine IR Profile in whole 64-bit words. A smaller write may fault in RAM
 * with ECC that was never written. */

/* FILL_STORES_64 is 1 if the core has 64-bit stores. Arm cores have them from
 * v7 on, except v8-M Baseline. */
#if UINTPTR_MAX > UINT32_MAX || (defined __arm__ && __ARM_ARCH > 6 && \
                                 (!defined __thumb__ || defined __thumb2__))
#define FILL_STORES_64 1
#else
#define FILL_STORES_64 0
#endif

/* Stores two 32-bit halves as one word; `first` is the half at the lower
 * address. If the core needs two stores, `last` (0 or 1) is the half that is
 * stored last. Volatile keeps the compiler from calling memset, which may store
 * bytes. */
static inline void fill_word(uintptr_t at, uint32_t first, uint32_t second,
                             unsigned last) {
#if FILL_STORES_64
  enum { BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
  *(volatile bareprof_any64 *)at =
      (uint64_t)(BIG ? first : second) << 32 | (BIG ? second : first);
  (void)last;
#else
  volatile bareprof_any32 *halves = (volatile bareprof_any32 *)at;
  halves[!last] = last ? first : second;
  halves[last] = last ? second : first;
#endif
}
#endif

/* ---- calls of a sink ----
 *
 * A negative number that a sink returns, such as -EIO, would look like an error
 * of the runtime. So each negative number becomes BAREPROF_E_SINK. */

static inline int bareprof_sink_error(int error) {
  return error < 0 ? BAREPROF_E_SINK : error;
}

static inline int bareprof_sink_put(const struct bareprof_sink *sink,
                                    const void *bytes, size_t size) {
  return bareprof_sink_error(sink->write(sink->context, bytes, size));
}

/* A sink's callback that only adds `size` to the size_t at `context`. */
static inline int bareprof_count_bytes(void *context, const void *bytes,
                                       size_t size) {
  (void)bytes;
  *(size_t *)context += size;
  return 0;
}

#endif
