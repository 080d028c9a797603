/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program that dies: its handler of SIGABRT writes the profile, and the
 * status stays that of the signal.
 */
#include <signal.h>
#include <stdlib.h>

#include "profile.h"

static volatile int sum;

static void dying(int number) {
  sum += number;
  __llvm_profile_write_file();
}

static void check(int n) {
  if (n > 6)
    abort();
  sum += n;
}

int main(void) {
  signal(SIGABRT, dying);
  for (int i = 0;; i++)
    check(i);
}
