/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts the calls until a function's next sample down, and takes the sample.
 * The sled's argument is an address or an index.
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
  /* An inline sled counts down itself, and calls this helper when a call is a
   * sample. */
  helper bareprof_mip_sample
  sample_soon
  save_all
  from_inline
  edge bareprof_mip_sampled
  restore_inline
  end_helper bareprof_mip_sample
#endif
