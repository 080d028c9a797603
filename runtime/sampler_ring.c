/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The last samples, in a ring.
 */
#include "sampler.h"

void bareprof_sampler_ring(uintptr_t pc, uintptr_t lr, uintptr_t fp) {
  bareprof_sampler_take_by(bareprof_sampler_put, pc, lr, fp);
}
