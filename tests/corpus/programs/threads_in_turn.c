/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Threads that run one after the other and end: values seen by a thread that
 * is gone, and counters of sampling that each has for itself.
 */
#include <pthread.h>
#include <string.h>

static char a[64], b[64];
static int f(int n) { return n + 1; }
static int g(int n) { return n * 2; }
static int (*const volatile targets[])(int) = {f, g};

static void *run(void *from) {
  int *n = from;
  for (int i = 0; i < 200; i++) {
    memcpy(a, b, (size_t)(*n * 3));
    *n = targets[i % 3 == 0](*n) & 15;
  }
  return NULL;
}

int main(void) {
  int n = 1;
  for (int i = 0; i < 5; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, &n);
    pthread_join(thread, NULL);
  }
  return n;
}
