/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Takes a sample of a call. An inline sled, which counts the calls until the
 * next sample down, calls this helper when a call is a sample.
 */
#include "mip.h"

#if defined(BAREPROF_MIP_INLINE)
  helper bareprof_mip_sample
  sample_soon
  save_all
  from_inline
  edge bareprof_mip_sampled
  restore_inline
  .size bareprof_mip_sample, . - bareprof_mip_sample
#endif
