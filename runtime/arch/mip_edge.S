/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts a call, and its call site. The sled's argument is an address.
 */
#include "mip.h"

#if defined(BAREPROF_MIP_HELPERS)
  helper bareprof_mip_edge
  save_all
  from_address
  edge bareprof_mip_call
  restore_all
  .size bareprof_mip_edge, . - bareprof_mip_edge
#endif
