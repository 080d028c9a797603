/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The program merges a profile of its own into itself, twice, from a buffer:
 * counts are added, bitmaps joined; where time is kept, it is refused.
 *
 * without: temporal temporal-block
 * without: debug-info-14
 */
#include <stdio.h>
#include <stdlib.h>

#include "profile.h"

static int work(int n) { return n & 1 && n > 9 ? n * 3 : n / 2; }

int main(void) {
  int n = 27;
  for (int i = 0; i < 20; i++)
    n = work(n) & 1023;
  uint64_t size = __llvm_profile_get_size_for_buffer();
  char *buffer = calloc(1, (size_t)size + 8);
  printf("%d\n", __llvm_profile_write_buffer(buffer));
  __llvm_profile_reset_counters();
  n = work(14);
  printf("%d\n", __llvm_profile_check_compatibility(buffer, size));
  printf("%d\n", __llvm_profile_merge_from_buffer(buffer, size));
  printf("%d\n", __llvm_profile_merge_from_buffer(buffer, size));
  free(buffer);
  return n & 63;
}
