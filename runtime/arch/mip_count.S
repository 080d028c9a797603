/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts a call, and stores the time of a function's first call. The sled's
 * argument is an address.
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
