/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that the tiny senders share: they check the guard word and the
 * build id, and set counters to their initial value. Programs may copy these
 * files without the rest of the runtime, so the files use the section bounds of
 * image_sections.h instead of struct bareprof_image. tiny_send.h and
 * tiny_bits.c make the frame: a compact dump with all counts in one LEAN frame
 * (docs/reference/wire-format.md).
 */
#ifndef BAREPROF_RUNTIME_TINY_H
#define BAREPROF_RUNTIME_TINY_H

#include "bareprof_tiny.h"
#include "image_sections.h"
#include "shared.h"

/* Word 0 of the guard has this value after this build has initialised the
 * counters. Word 1 has the boot number, and in its top byte the ordinal, which
 * is the number of the last dump. */
#define TINY_GUARD (~(uint32_t)(uintptr_t)__stop___llvm_prf_cnts)
#define TINY_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* The build id's offset in its ELF note, and the part that is sent; both in
 * 4-byte words. */
enum { TINY_ID_AT = 4, TINY_ID_WORDS = 2 };

static inline volatile bareprof_any32 *tiny_guard_half(unsigned half) {
  return (volatile bareprof_any32 *)&__bareprof_guard + (half ^ TINY_BIG);
}

/* Returns 0 if the counters were initialised and a build id exists, otherwise
 * the error. */
static inline int tiny_check(void) {
  if (!&__bareprof_guard || *tiny_guard_half(0) != TINY_GUARD)
    return BAREPROF_E_NOT_INIT;
  uintptr_t least =
      (uintptr_t)__bareprof_build_id_start + 4 * (TINY_ID_AT + TINY_ID_WORDS);
  return least > (uintptr_t)__bareprof_build_id_end ? BAREPROF_E_NO_BUILD_ID
                                                    : 0;
}

/* Counts a dump: returns its ordinal, 1 to 255 and then 0. */
static inline uint32_t tiny_next_ordinal(void) {
  volatile unsigned char *top =
      (volatile unsigned char *)tiny_guard_half(1) + (TINY_BIG ? 0 : 3);
  uint32_t ordinal = (uint8_t)(*top + 1);
  *top = (unsigned char)ordinal;
  return ordinal;
}

/* Converts a word from memory to little-endian. */
static inline uint32_t tiny_to_little_endian(uint32_t word) {
  return TINY_BIG ? __builtin_bswap32(word) : word;
}

/* Fills the memory from `from` to `to` with whole 64-bit words, as RAM with ECC
 * requires. Fills at least one word. */
static inline void tiny_fill(unsigned char *from, const void *to,
                             uint32_t value) {
  uintptr_t at = (uintptr_t)from;
  do
    fill_word(at, value, value, 1), at += 8;
  while (at < (uintptr_t)to);
}

/* Sets the guard: word 0 shows that the counters are initialised; the boot
 * number and the ordinal are 0. */
static inline void tiny_set_guard(void) {
  fill_word((uintptr_t)&__bareprof_guard, TINY_BIG ? 0 : TINY_GUARD,
            TINY_BIG ? TINY_GUARD : 0, TINY_BIG);
}

#endif
