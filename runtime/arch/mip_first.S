/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Corrects the count after an inline sled has added 1 to it: at the first call
 * of a function, and when the count is close to its maximum.
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
