/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the program may ask of its own profile: the version word, how much there
 * is of each section.
 */
#include <stdio.h>

#include "profile.h"

static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(void) {
  const char *data = __llvm_profile_begin_data();
  const char *data_end = __llvm_profile_end_data();
  printf("magic %llx, version %llx\n",
         (unsigned long long)__llvm_profile_get_magic(),
         (unsigned long long)__llvm_profile_get_version());
  printf("data %td, counters %td, names %td\n", data_end - data,
         __llvm_profile_end_counters() - __llvm_profile_begin_counters(),
         __llvm_profile_end_names() - __llvm_profile_begin_names());
  return work(4) & 1;
}
