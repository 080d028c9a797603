/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Macros that define libatomic's functions, for cores without atomic
 * instructions. Each file that includes this header defines one function,
 * because a program may define any of the functions itself. All functions have
 * sequentially consistent order. Compilers call them for these purposes:
 *
 * __atomic_fetch_add_8          counts, with -fprofile-update=atomic
 * __atomic_fetch_add_4          counts with 32 bits (ARMv6-M, RISC-V without A)
 * __atomic_fetch_or_1           sets bits of an MC/DC bitmap (the same cores)
 * __atomic_fetch_or_4, _8       replaces an addition of 0 (optimiser)
 * __atomic_load_4, _8           the same, in clang 14
 * __sync_fetch_and_add_4, _8    counts, in clang 13 and 14 for Arm
 * __sync_val_compare_and_swap_4, _8   the same at -O0, in a loop
 */
#ifndef BAREPROF_RUNTIME_OPERATIONS_H
#define BAREPROF_RUNTIME_OPERATIONS_H

#include "bareprof_options.h"

/* The types of the compilers' builtins: uint32_t is unsigned long in some C
 * libraries. */
typedef uint8_t bareprof_bits_1;
typedef unsigned bareprof_bits_4;
typedef uint64_t bareprof_bits_8;

/* The body of a function that changes the number at `object` while the lock is
 * held, and returns the old number. `change` is a statement that uses `old`,
 * and `value`, which points to the number. */
#define BAREPROF_LOCKED(type, change)       \
  type *value = (type *)object;             \
  uintptr_t state = bareprof_atomic_lock(); \
  type old = *value;                        \
  change;                                   \
  bareprof_atomic_unlock(state);            \
  return old

#define BAREPROF_FETCH(name, type, sign)                      \
  type name(volatile void *object, type operand, int order);  \
  type name(volatile void *object, type operand, int order) { \
    (void)order;                                              \
    BAREPROF_LOCKED(type, *value = (type)(old sign operand)); \
  }
#define BAREPROF_FETCH_ADD(bytes) \
  BAREPROF_FETCH(__atomic_fetch_add_##bytes, bareprof_bits_##bytes, +)
#define BAREPROF_FETCH_OR(bytes) \
  BAREPROF_FETCH(__atomic_fetch_or_##bytes, bareprof_bits_##bytes, |)

/* Compilers know the names of the __sync functions as builtins and refuse to
 * define them, so the assembler gets these names. */
#define BAREPROF_SYNC_ADD(bytes)                                              \
  bareprof_bits_##bytes bareprof_sync_add_##bytes(                            \
      volatile void *object,                                                  \
      bareprof_bits_##bytes operand) __asm__("__sync_fetch_and_add_" #bytes); \
  bareprof_bits_##bytes bareprof_sync_add_##bytes(                            \
      volatile void *object, bareprof_bits_##bytes operand) {                 \
    BAREPROF_LOCKED(bareprof_bits_##bytes, *value = old + operand);           \
  }
#define BAREPROF_SYNC_SWAP(bytes)                                  \
  bareprof_bits_##bytes bareprof_sync_swap_##bytes(                \
      volatile void *object, bareprof_bits_##bytes expected,       \
      bareprof_bits_##bytes                                        \
          desired) __asm__("__sync_val_compare_and_swap_" #bytes); \
  bareprof_bits_##bytes bareprof_sync_swap_##bytes(                \
      volatile void *object, bareprof_bits_##bytes expected,       \
      bareprof_bits_##bytes desired) {                             \
    BAREPROF_LOCKED(bareprof_bits_##bytes,                         \
                    if (old == expected) *value = desired);        \
  }

#endif
