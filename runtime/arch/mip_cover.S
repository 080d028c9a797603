/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Marks a function as covered. The sled's argument is an address or an index.
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
