/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts beyond 32 bits and at the edge of 64: nothing on the way to the file
 * may narrow or saturate them.
 * 
 * without: single-byte function block temporal-block
 */
#include "profile.h"

static volatile int turns = 7;

static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(void) {
  int n = 27;
  for (int i = 0; i < turns; i++)
    n = work(n);
  uint64_t *counter = (uint64_t *)__llvm_profile_begin_counters();
  uint64_t *end = (uint64_t *)__llvm_profile_end_counters();
  for (int i = 0; counter < end; counter++, i++)
    *counter += i % 3 == 0 ? 0xfffffff0u : 0x00ffffff00000000u >> i % 16;
  return 0;
}
