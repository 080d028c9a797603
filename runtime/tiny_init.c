/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sets counters and bitmaps to their initial value, for the senders of
 * tiny_send.h.
 */
#include "tiny.h"

/* 8-byte and 4-byte counters, and bitmaps, are 0 at first. */
void bareprof_tiny_init(void) {
  if (!&__bareprof_guard)
    return;
  tiny_fill(__start___llvm_prf_cnts, &__bareprof_guard, 0);
  tiny_set_guard();
}

/* Byte counters are 0xFF at first, bitmaps are 0. tiny_fill fills at least one
 * word; without a bitmap, this is the guard word. So the second call always
 * includes the guard word, which tiny_set_guard sets afterwards. */
void bareprof_tiny_init_flags(void) {
  if (!&__bareprof_guard)
    return;
  tiny_fill(__start___llvm_prf_cnts, __start___llvm_prf_bits, UINT32_MAX);
  tiny_fill(__start___llvm_prf_bits, &__bareprof_guard + 1, 0);
  tiny_set_guard();
}
