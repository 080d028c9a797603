/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts the calls until a function's next sample down, and takes the sample.
 * The sled's argument is an index.
 */
#include "mip.h"

#if defined(BAREPROF_MIP_HELPERS)
  helper bareprof_mip_step_index
  step_index
  .size bareprof_mip_step_index, . - bareprof_mip_step_index
#endif
