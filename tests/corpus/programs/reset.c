/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counters, bitmaps, values and timestamps set back in the middle: only what
 * comes after is in the file. Each value is seen again, in the same order:
 * else compiler-rt's file has it with a count of 0, ours does not have it.
 */
#include <string.h>

#include "profile.h"

static char a[64], b[64];
static int f(int n) { return n + 1; }
static int (*volatile target)(int) = f;

static int work(int n) {
  memcpy(a, b, (size_t)n & 15);
  return (n & 1 && n > 3) || n == 2 ? target(n) : n;
}

__attribute__((noinline)) static int phase(int turns) {
  int sum = 0;
  for (int i = 0; i < turns; i++)
    sum += work(i);
  return sum;
}

int main(void) {
  int sum = phase(9);
  __llvm_profile_reset_counters();
  return (sum + phase(12)) & 63;
}
