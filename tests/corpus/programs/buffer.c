/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The profile in a buffer of the size that was asked for, zeroed first as
 * compiler-rt wants it; its file is what the program writes of it.
 *
 * without: continuous continuous-14
 */
#include <stdio.h>
#include <stdlib.h>

#include "profile.h"

/* No sites of values: compiler-rt leaves them out of buffers. */
static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(void) {
  int n = 27;
  for (int i = 0; i < 20; i++)
    n = work(n);
  size_t size = (size_t)__llvm_profile_get_size_for_buffer();
  /* compiler-rt counts the padding behind the names of vtables short. */
  char *buffer = calloc(1, size + 8);
  printf("size %zu, written %d\n", size, __llvm_profile_write_buffer(buffer));
  FILE *file = fopen("buffer.profraw", "wb");
  fwrite(buffer, 1, size, file);
  fclose(file);
  return n & 63;
}
