/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts the calls until a function's next sample down, and takes the sample.
 * The sled's argument is an address.
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
