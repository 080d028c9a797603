/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines helpers that mark a function as covered. Sleds, the first
 * instructions of functions, call a helper with an address or an index as the
 * argument. mip_helpers.h describes sleds and helpers.
 */
#include "mip_helpers.h"

#if defined(BAREPROF_MIP_HELPERS)
  helper bareprof_mip_cover
  save
  from_address
  cover
  restore
  end_helper bareprof_mip_cover

  helper bareprof_mip_cover_index
  save
  from_index 0
  cover
  restore
  end_helper bareprof_mip_cover_index
#endif
