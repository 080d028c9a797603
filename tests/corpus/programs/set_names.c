/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names of files set one after the other, with patterns and with none: each
 * profile goes to the name of its time.
 *
 * without: continuous continuous-14
 */
#include <stdio.h>
#include <string.h>

#include "profile.h"

static volatile int sum;
static void add(int n) { sum += n & 1 ? n : 1; }

int main(void) {
  char name[32];
  for (int i = 0; i < 3; i++) {
    sprintf(name, i == 1 ? "p%%p-%d.profraw" : "name-%d.profraw", i);
    __llvm_profile_set_filename(name);
    add(i);
    printf("write %d\n", __llvm_profile_write_file());
    memset(name, 'x', sizeof name - 1);
  }
  __llvm_profile_set_filename("%m-last.profraw");
  add(3);
  return 0;
}
