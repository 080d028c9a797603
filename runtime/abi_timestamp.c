/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The hook of temporal profiling numbers functions in the order of their first
 * calls. Instrumented code calls it while the function's timestamp is unset.
 * RAM: 4 bytes, in programs that have such code. An interrupt that calls its
 * first function at the same moment may get the same number.
 */
#include "image.h"

/* The last number given. profraw_merge.c raises it. */
extern uint32_t bareprof_timestamp;
uint32_t bareprof_timestamp;

void __llvm_profile_set_timestamp(uint64_t *timestamp);
void __llvm_profile_set_timestamp(uint64_t *timestamp) {
  if (!bareprof_has_timestamp(*timestamp))
    *timestamp = ++bareprof_timestamp;
}
