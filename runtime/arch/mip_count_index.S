/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts a call, and stores the time of a function's first call. The sled's
 * argument is an index.
 */
#include "mip.h"

#if defined(BAREPROF_MIP_HELPERS)
  helper bareprof_mip_count_index
  save
  from_index 3
  count
  restore
  .size bareprof_mip_count_index, . - bareprof_mip_count_index
#endif
