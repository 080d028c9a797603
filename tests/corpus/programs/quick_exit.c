/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * quick_exit runs no handler of atexit: what the program wrote itself is what
 * stays, without the counts that come after.
 * 
 * without: continuous continuous-14
 */
#include <stdlib.h>

#include "profile.h"

static volatile int sum;
static void count(int n) {
  while (n-- > 0)
    sum += n;
}

int main(void) {
  count(5);
  __llvm_profile_write_file();
  count(50);
  quick_exit(sum & 63);
}
