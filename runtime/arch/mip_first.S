/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Completes what an inline sled has begun: a first call, or one at the end of
 * the count.
 */
#include "mip.h"

#if defined(BAREPROF_MIP_FIRST)
  helper bareprof_mip_first
  save
  first_or_full
  LOAD a0, 0 * WORD(sp)
  addi sp, sp, 4 * WORD
  jr t0
  .size bareprof_mip_first, . - bareprof_mip_first
#endif
