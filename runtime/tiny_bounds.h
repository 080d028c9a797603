/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the linker script says of the running image, for the tiny senders.
 */
#ifndef BAREPROF_RUNTIME_TINY_BOUNDS_H
#define BAREPROF_RUNTIME_TINY_BOUNDS_H

#include <stdbool.h>

#include "bareprof_tiny.h"
#include "tiny_fill.h"

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

/* Costs no instruction. The compiler takes the value as one that is there,
 * where a larger sequence would have computed it again, or in another way. */
#define TINY_KEEP(value) __asm__("" : "+r"(value))

static inline volatile tiny_word *tiny_guard(unsigned half) {
  return (volatile tiny_word *)&__bareprof_guard + (half ^ TINY_BIG);
}

/* In words of the note: where the build id is, and how much of it is sent. */
enum { TINY_ID_AT = 4, TINY_ID_WORDS = 2 };

/* Whether the counters are what this program counts in, and the note has a
 * build id: 0, or an error. */
static inline int tiny_check(void) {
  if (!&__bareprof_guard || *tiny_guard(0) != TINY_GUARD)
    return BAREPROF_E_NOT_INIT;
  uintptr_t least =
      (uintptr_t)__bareprof_build_id_start + 4 * (TINY_ID_AT + TINY_ID_WORDS);
  return least > (uintptr_t)__bareprof_build_id_end ? BAREPROF_E_NO_BUILD_ID
                                                    : 0;
}

/* Of a word from memory: the first byte is the lowest. */
static inline uint32_t tiny_low_first(uint32_t word) {
  return TINY_BIG ? __builtin_bswap32(word) : word;
}

#endif
