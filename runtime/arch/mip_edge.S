/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines helpers that count a call by its call site. Sleds, the first
 * instructions of functions, call a helper with an address or an index as the
 * argument. mip_helpers.h describes sleds and helpers.
 */
#include "mip_helpers.h"

#if defined(BAREPROF_MIP_HELPERS)
  helper bareprof_mip_edge
  save_all
  from_address
  edge bareprof_mip_call
  restore_all
  end_helper bareprof_mip_edge

  helper bareprof_mip_edge_index
  save_all
  from_index 3
  edge bareprof_mip_call
  restore_all
  end_helper bareprof_mip_edge_index
#endif
