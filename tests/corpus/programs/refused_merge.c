/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Buffers that are no profile of this program: too short, of another magic, of
 * another function: refused, and nothing is added.
 */
#include <stdio.h>
#include <stdlib.h>

#include "profile.h"

static int work(int n) { return n & 1 ? n * 3 : n / 2; }

static void attempt(char *buffer, uint64_t size) {
  printf("%d\n", __llvm_profile_check_compatibility(buffer, size) != 0);
}

int main(void) {
  int n = work(7);
  uint64_t size = __llvm_profile_get_size_for_buffer();
  char *buffer = calloc(1, (size_t)size + 8);
  __llvm_profile_write_buffer(buffer);
  attempt(buffer, 8);
  buffer[0]++;
  attempt(buffer, size);
  buffer[0]--;
  buffer[8]++;
  attempt(buffer, size);
  buffer[8]--;
  buffer[24]++;
  attempt(buffer, size);
  return n & 1;
}
