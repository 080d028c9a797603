/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Four threads that count the same functions at once, all joined: with atomic
 * updates every count is exact, bytes and bitmaps are set by several at once.
 *
 * flags: -fprofile-update=atomic
 * without: cs-ir thin-lto-cs
 * without-14: debug-info-14 ir ir-counts ir-size ir-entry ir-atomic
 * without-14: ir-allocated lto drivers-own
 */
#include <pthread.h>

static int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += i & 3 ? i : 1;
  return sum;
}

static void *run(void *from) {
  int *sum = from;
  for (int i = 0; i < 500; i++)
    *sum += work(i & 31);
  return NULL;
}

int main(void) {
  pthread_t threads[4];
  int sums[4] = {0};
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, run, &sums[i]);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  return (sums[0] + sums[3]) & 63;
}
