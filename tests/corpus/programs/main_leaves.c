/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * main ends by pthread_exit before the others: the last thread runs the
 * handlers of exit, and writes.
 */
#include <pthread.h>
#include <unistd.h>

static int gate[2];
static volatile int sum;

static void *run(void *argument) {
  char byte;
  (void)argument;
  if (read(gate[0], &byte, 1) == 1)
    for (int i = 0; i < 9; i++)
      sum += i & 1 ? i : 2;
  return NULL;
}

int main(void) {
  pthread_t thread;
  if (pipe(gate) != 0)
    return 1;
  pthread_create(&thread, NULL, run, NULL);
  pthread_detach(thread);
  if (write(gate[1], "x", 1) != 1)
    return 1;
  pthread_exit(NULL);
}
