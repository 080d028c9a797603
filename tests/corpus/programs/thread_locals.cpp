/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Objects of a thread, made at first use and destroyed as it ends: for main
 * that is in exit, before the handlers of atexit.
 */
#include <pthread.h>

static volatile int sum;

struct Noted {
  int weight = sum > 2 ? 4 : 3;
  ~Noted() {
    for (int i = 0; i < weight; i++)
      sum += i;
  }
};

static thread_local Noted mine;

static void *run(void *) {
  sum += mine.weight;
  return nullptr;
}

int main() {
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    pthread_create(&thread, nullptr, run, nullptr);
    pthread_join(thread, nullptr);
  }
  run(nullptr);
  return 0;
}
