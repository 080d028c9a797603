/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts down a function's calls, and takes a sample at the end.
 */
#include "mip.h"

#if defined(BAREPROF_MIP_HELPERS)
  helper bareprof_mip_step
  save_all
  from_address
  edge bareprof_mip_stepped
  restore_all
  .size bareprof_mip_step, . - bareprof_mip_step
#endif
