/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parent and child, each with a file of its own by %p: the child has the
 * counts from before the fork as well.
 *
 * without: continuous continuous-14
 */
#include <sys/wait.h>
#include <unistd.h>

static int f(int n) { return n + 1; }
static int g(int n) { return n * 2; }
static int (*volatile target)(int) = f;

static int work(int n) { return n & 1 ? target(n) : n; }

int main(void) {
  int sum = 0, status;
  for (int i = 0; i < 10; i++)
    sum += work(i);
  if (fork() == 0) {
    target = g;
    for (int i = 0; i < 3; i++)
      sum += work(i);
    return sum & 7;
  }
  wait(&status);
  return WEXITSTATUS(status) + work(2);
}
