/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines libatomic's functions for cores without atomic instructions. The
 * functions take the lock of lock_irq.c, or the program's lock. All functions
 * have sequentially consistent order. The definitions are weak, because a
 * program may define any of the functions itself. Compilers call the functions
 * for these purposes:
 *
 * __atomic_fetch_add_8          counts, with -fprofile-update=atomic
 * __atomic_fetch_add_4          counts with 32 bits (ARMv6-M, RISC-V without A)
 * __atomic_fetch_or_1           sets bits of an MC/DC bitmap (the same cores)
 * __atomic_fetch_or_4, _8       replaces an addition of 0 (optimiser)
 * __atomic_load_4, _8           replaces an addition of 0, in clang 14
 * __sync_fetch_and_add_4, _8    counts, in clang 13 and 14 for Arm
 * __sync_val_compare_and_swap_4, _8   counts at -O0, in a loop
 */
#include "bareprof_options.h"

/* The types that compilers use for these functions. bits_4 is not uint32_t,
 * which is unsigned long in some C libraries. */
typedef uint8_t bits_1;
typedef unsigned bits_4;
typedef uint64_t bits_8;

/* Defines a function that changes the number at `object` while the lock is
 * held, and returns the old number. `change` is a statement that uses `old`,
 * and `value`, which points to the number. `asm_name` is the name for the
 * assembler, if compilers refuse to define the function under its own name. */
#define LOCKED(type, name, asm_name, change, ...)              \
  __attribute__((weak)) type name(__VA_ARGS__) asm_name;       \
  type name(__VA_ARGS__) {                                     \
    volatile type *value = (volatile type *)(uintptr_t)object; \
    uintptr_t state = bareprof_atomic_lock();                  \
    type old = *value;                                         \
    change;                                                    \
    bareprof_atomic_unlock(state);                             \
    return old;                                                \
  }

#define FETCH(operation, bytes, sign)                          \
  LOCKED(bits_##bytes, __atomic_fetch_##operation##_##bytes, , \
         *value = (bits_##bytes)(old sign operand);            \
         (void)order, volatile void *object, bits_##bytes operand, int order)
FETCH(add, 4, +)
FETCH(add, 8, +)
FETCH(or, 1, |)
FETCH(or, 4, |)
FETCH(or, 8, |)

#define SYNC_ADD(bytes)                                                   \
  LOCKED(bits_##bytes, sync_add_##bytes,                                  \
         __asm__("__sync_fetch_and_add_" #bytes), *value = old + operand, \
         volatile void *object, bits_##bytes operand)
SYNC_ADD(4)
SYNC_ADD(8)

#define SYNC_SWAP(bytes)                                               \
  LOCKED(bits_##bytes, sync_swap_##bytes,                              \
         __asm__("__sync_val_compare_and_swap_" #bytes),               \
         if (old == expected) *value = desired, volatile void *object, \
         bits_##bytes expected, bits_##bytes desired)
SYNC_SWAP(4)
SYNC_SWAP(8)

LOCKED(bits_8, __atomic_load_8, , (void)order, const volatile void *object,
       int order)

/* A core reads 32 bits in one access, so this load needs no lock. */
__attribute__((weak)) unsigned __atomic_load_4(const volatile void *object,
                                               int order);
unsigned __atomic_load_4(const volatile void *object, int order) {
  unsigned value = *(const volatile unsigned *)object;
  __asm__ volatile("" ::: "memory");
  (void)order;
  return value;
}
