/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A dump to a file of its own: nothing is written at exit any more, until a
 * reset makes the profile due again.
 *
 * without: continuous continuous-14
 */
#include <stdio.h>

#include "profile.h"

static volatile int sum;
static void add(int n) { sum += n & 1 ? n : 1; }

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 5; i++)
    add(i);
  __llvm_profile_set_filename("first.profraw");
  printf("dump %d\n", __llvm_profile_dump());
  if (argc > 1) {
    __llvm_profile_reset_counters();
    __llvm_profile_set_filename("second.profraw");
  }
  for (int i = 0; i < 7; i++)
    add(i);
  return 0;
}
