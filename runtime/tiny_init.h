/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * By whole words, as RAM with ECC demands that was never written.
 */
#include "tiny_bounds.h"

/* There is a counter, and so a word. */
static inline void tiny_fill(unsigned char *from, const void *to,
                             uint32_t value) {
  uintptr_t at = (uintptr_t)from;
  do
    fill_word(at, value, value, 1), at += 8;
  while (at < (uintptr_t)to);
}

static inline void tiny_mark(void) {
  fill_word((uintptr_t)&__bareprof_guard, TINY_BIG ? 0 : TINY_GUARD,
            TINY_BIG ? TINY_GUARD : 0, TINY_BIG);
}
