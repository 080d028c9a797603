/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Flags are 0xFF at first, bitmaps are 0. The guard behind them, too, for there
 * may be no bitmap.
 */
#include "tiny_init.h"

void bareprof_tiny_init_flags(void) {
  if (!&__bareprof_guard)
    return;
  tiny_fill(__start___llvm_prf_cnts, __start___llvm_prf_bits, UINT32_MAX);
  tiny_fill(__start___llvm_prf_bits, &__bareprof_guard + 1, 0);
  tiny_mark();
}
