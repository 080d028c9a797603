/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The program writes its profile itself, in the middle of a loop, and again at
 * exit over the first: the later counts win. Of counters without padding,
 * llvm-profdata refuses the second profile in a file.
 *
 * without-17: function block temporal-block
 */
#include "profile.h"

static volatile int sum;
static void add(int n) { sum += n & 1 ? n : 1; }

int main(void) {
  for (int i = 0; i < 20; i++) {
    add(i);
    if (i == 9 && __llvm_profile_write_file() != 0)
      return 1;
  }
  return 0;
}
