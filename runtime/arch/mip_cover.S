/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Marks a function as covered. The sled's argument is an address.
 */
#include "mip.h"

#if defined(BAREPROF_MIP_HELPERS)
  helper bareprof_mip_cover
  save
  from_address
  cover
  restore
  .size bareprof_mip_cover, . - bareprof_mip_cover
#endif
