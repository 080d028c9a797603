/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Standard input, output and errors are closed: the profile gets one of their
 * numbers, and nothing else may be written into it.
 */
#include <stdio.h>
#include <unistd.h>

static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(void) {
  int sum = work(3);
  puts("before");
  fflush(stdout);
  for (int i = 0; i < 3; i++)
    close(i);
  puts("after");
  return sum;
}
