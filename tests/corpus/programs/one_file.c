/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parent and child write to the same file one after the other: the last one
 * wins, whole.
 *
 * without: continuous continuous-14
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int longer(int n) { return n & 1 ? n : 4; }

int main(void) {
  int status, sum = 0;
  if (fork() == 0) {
    for (int i = 0; i < 1000; i++)
      sum += longer(i);
    exit(sum & 7);
  }
  wait(&status);
  return WEXITSTATUS(status) + longer(2);
}
