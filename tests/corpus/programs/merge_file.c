/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile with values, read back from its file and merged: each value is
 * added to its site, also those that the site has not seen since.
 *
 * without: continuous continuous-14
 * without: temporal temporal-block
 * without: debug-info-14
 */
#include <stdio.h>
#include <string.h>

#include "profile.h"

static char a[64], b[64];
static int f(int n) { return n + 1; }
static int g(int n) { return n * 2; }
static int (*volatile target)(int) = f;

static int work(int n) {
  memcpy(a, b, (size_t)n & 15);
  return target(n);
}

int main(void) {
  static _Alignas(8) char profile[1 << 16];
  int sum = 0;
  for (int i = 0; i < 6; i++)
    sum += work(i);
  target = g;
  sum += work(3);
  __llvm_profile_write_file();
  FILE *file = fopen("out.profraw", "rb");
  size_t size = fread(profile, 1, sizeof profile, file);
  fclose(file);
  __llvm_profile_reset_counters();
  target = f;
  sum += work(0);
  printf("%d\n", __llvm_profile_merge_from_buffer(profile, size));
  return sum & 63;
}
