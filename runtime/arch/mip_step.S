/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines helpers that count down the calls until a function's next sample, and
 * take the sample. Sleds, the first instructions of functions, call a helper
 * with an address or an index as the argument. mip_helpers.h describes sleds
 * and helpers.
 */
#include "mip_helpers.h"

#if defined(BAREPROF_MIP_HELPERS)
  helper bareprof_mip_step
  save_all
  from_address
  edge bareprof_mip_stepped
  restore_all
  end_helper bareprof_mip_step

  helper bareprof_mip_step_index
  step_index
  end_helper bareprof_mip_step_index
#endif

#if defined(BAREPROF_MIP_INLINE)
  /* An inline sled counts calls down without a helper, and calls this helper if
   * a call is a sample. */
  helper bareprof_mip_sample
  sample_soon
  save_all
  from_inline
  edge bareprof_mip_sampled
  restore_inline
  end_helper bareprof_mip_sample
#endif
