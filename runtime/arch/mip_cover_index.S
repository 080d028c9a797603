/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Marks a function as covered. The sled's argument is an index.
 */
#include "mip.h"

#if defined(BAREPROF_MIP_HELPERS)
  helper bareprof_mip_cover_index
  save
  from_index 0
  cover
  restore
  .size bareprof_mip_cover_index, . - bareprof_mip_cover_index
#endif
