/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts a call, and when the first one was.
 */
#include "mip.h"

#if defined(BAREPROF_MIP_HELPERS)
  helper bareprof_mip_count
  save
  from_address
  count
  restore
  .size bareprof_mip_count, . - bareprof_mip_count
#endif
