/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * compiler-rt's way: name a file, dump. Without a name the compiler's own,
 * or default.profraw, serves.
 */
#define BAREPROF_INSTR_PROF_ALWAYS 1 /* this file is not instrumented */
#include "profile/instr_prof_interface.h"

#include "counts.h"

int main(void) {
  counts_run();
  if (__llvm_profile_dump())
    return 1;
  __llvm_profile_set_filename("counts.profraw");
  return __llvm_profile_dump() ? 2 : 0;
}
