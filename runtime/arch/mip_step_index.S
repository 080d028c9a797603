/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts down the calls of a function, by number, and takes a sample at the
 * end.
 */
#include "mip.h"

#if defined(BAREPROF_MIP_HELPERS)
  helper bareprof_mip_step_index
  step_index
  .size bareprof_mip_step_index, . - bareprof_mip_step_index
#endif
