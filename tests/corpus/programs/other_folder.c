/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The program goes into another folder before it ends, and takes a name that is
 * relative with it.
 *
 * without: continuous continuous-14
 */
#include <sys/stat.h>
#include <unistd.h>

static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(void) {
  if (mkdir("elsewhere", 0777) != 0 || chdir("elsewhere") != 0)
    return 1;
  return work(3);
}
