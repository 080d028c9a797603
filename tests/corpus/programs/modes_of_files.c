/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What may be done with the file and its folders, under a mask of the program.
 *
 * without: continuous continuous-14
 */
#include <sys/stat.h>

static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(void) {
  umask(027);
  return work(3);
}
