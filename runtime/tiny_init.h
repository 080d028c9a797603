/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * By whole words, as RAM with ECC demands that was never written.
 */
#include "tiny_bounds.h"

/* There is a counter, and so a word. */
static inline void tiny_fill(unsigned char *from, const void *to,
                             uint32_t value) {
  volatile tiny_word *at = (volatile tiny_word *)(uintptr_t)from;
  do
    *at++ = value;
  while (at != (const volatile tiny_word *)to);
}

static inline void tiny_mark(void) {
  *tiny_guard(1) = 0;
  *tiny_guard(0) = TINY_GUARD;
}
