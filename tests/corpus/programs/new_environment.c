/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * LLVM_PROFILE_FILE is changed by the program: nothing until it is asked to
 * look again.
 *
 * without: continuous continuous-14
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "profile.h"

static volatile int sum;
static void add(int n) { sum += n & 1 ? n : 1; }

int main(void) {
  add(1);
  setenv("LLVM_PROFILE_FILE", "later.profraw", 1);
  __llvm_profile_write_file();
  add(2);
  __llvm_profile_initialize_file();
  add(3);
  return 0;
}
