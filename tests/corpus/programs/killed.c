/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A signal of the system ends the program by a handler that calls exit in the
 * middle of counted code.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int sum;

static void leave(int number) { exit(number + sum); }

static void work(int n) {
  sum += n;
  if (sum > 20)
    kill(getpid(), SIGTERM);
}

int main(void) {
  signal(SIGTERM, leave);
  for (int i = 0; i < 100; i++)
    work(i);
  return 99;
}
