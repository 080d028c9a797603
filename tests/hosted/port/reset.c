/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts from the start again, and whether there is something to write. Apart
 * from file.c: programs without files reset their counters too.
 */
#include "weak_hooks.h"
#include "hosted.h"
#include "names.h"

bool bareprof_hosted_dumped;

void __llvm_profile_set_dumped(void) { bareprof_hosted_dumped = true; }

void __llvm_profile_reset_counters(void) {
  bareprof_reset();
  if (&hook_timestamp)
    hook_timestamp = 0;
  bareprof_hosted_dumped = false;
}
