/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counters of 8 and of 4 bytes, and bitmaps, are 0 at first.
 */
#include "tiny_init.h"

void bareprof_tiny_init(void) {
  if (!&__bareprof_guard)
    return;
  tiny_fill(__start___llvm_prf_cnts, &__bareprof_guard, 0);
  tiny_mark();
}
