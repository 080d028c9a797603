/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Flags are 0xFF at first. A bitmap behind them is not sent.
 */
#include "tiny_init.h"

void bareprof_tiny_init_bits(void) {
  if (!&__bareprof_guard)
    return;
  tiny_fill(__start___llvm_prf_cnts, &__bareprof_guard, UINT32_MAX);
  tiny_mark();
}
