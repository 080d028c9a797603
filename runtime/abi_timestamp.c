/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The hook of temporal profiling: functions are numbered in the order of
 * their first call. Instrumented code calls it while the function's
 * timestamp is still unset; 4 bytes of RAM, in programs that have such code.
 * An interrupt that calls its first function at the same moment may get the
 * same number; nothing worse.
 */
#include "abi_timestamp.h"

uint32_t bareprof_timestamp;

void __llvm_profile_set_timestamp(uint64_t *timestamp);
void __llvm_profile_set_timestamp(uint64_t *timestamp) {
  if (!bareprof_has_timestamp(*timestamp))
    *timestamp = ++bareprof_timestamp;
}
