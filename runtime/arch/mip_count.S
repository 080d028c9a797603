/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines helpers that count a call, and store the time of a function's first
 * call. Sleds, the first instructions of functions, call a helper with an
 * address or an index as the argument. mip_helpers.h describes sleds and
 * helpers.
 */
#include "mip_helpers.h"

#if defined(BAREPROF_MIP_HELPERS)
  helper bareprof_mip_count
  save
  from_address
  count
  restore
  end_helper bareprof_mip_count

  helper bareprof_mip_count_index
  save
  from_index 3
  count
  restore
  end_helper bareprof_mip_count_index
#endif

#if defined(BAREPROF_MIP_FIRST)
  /* An inline sled adds 1 to the count without a helper. The sled calls this
   * helper if the count then needs a correction: at a function's first call,
   * and when the count is close to its maximum. */
  helper bareprof_mip_first
  save
  first_or_full
  LOAD a0, 0 * WORD(sp)
  addi sp, sp, 4 * WORD
  jr t0
  end_helper bareprof_mip_first
#endif
