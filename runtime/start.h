/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The number of a start that begins, where it has one of the target.
 */
#ifndef BAREPROF_RUNTIME_START_H
#define BAREPROF_RUNTIME_START_H

#include "image.h"
#include "seams.h"

/* Where the guard has it. */
static inline uint64_t bareprof_new_start(void) {
  return seam_start_number ? (uint64_t)seam_start_number() << BAREPROF_START_AT
                           : 0;
}

#endif
