/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the linker script says of the running image, for the tiny senders.
 */
#ifndef BAREPROF_RUNTIME_TINY_BOUNDS_H
#define BAREPROF_RUNTIME_TINY_BOUNDS_H

#include "bareprof_tiny.h"

typedef uint32_t __attribute__((may_alias)) tiny_word;

/* The linker script's bounds. A program without counters has none. */
#define TINY_BOUND extern __attribute__((weak, visibility("hidden")))
TINY_BOUND unsigned char __start___llvm_prf_cnts[], __stop___llvm_prf_cnts[];
TINY_BOUND unsigned char __start___llvm_prf_bits[], __stop___llvm_prf_bits[];
TINY_BOUND const unsigned char __bareprof_build_id_start[];
TINY_BOUND const unsigned char __bareprof_build_id_end[];
TINY_BOUND uint64_t __bareprof_guard;

/* Word 0 of the guard says who initialised the counters, word 1 has the number
 * of the start and, at the top, the ordinal. */
#define TINY_GUARD (~(uint32_t)(uintptr_t)__stop___llvm_prf_cnts)
#define TINY_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline volatile tiny_word *tiny_guard(unsigned half) {
  return (volatile tiny_word *)&__bareprof_guard + (half ^ TINY_BIG);
}

#endif
