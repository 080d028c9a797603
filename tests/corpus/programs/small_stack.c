/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A thread with the smallest stack there is calls exit: the writer must do
 * with what is left of 16 KiB.
 */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

static int work(int n) { return n & 1 ? n * 3 : n / 2; }

static void *run(void *argument) {
  int n = 7;
  (void)argument;
  for (int i = 0; i < 20; i++)
    n = work(n);
  exit(n & 63);
}

int main(void) {
  pthread_attr_t small;
  pthread_t thread;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 16384);
  pthread_create(&thread, &small, run, NULL);
  pthread_join(thread, NULL);
  return 99;
}
