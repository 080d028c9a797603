/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A shared library for actor.c: it has counters, and a runtime, of its own.
 */
int work(int times);

static int twice(int number) { return 2 * number; }
static int thrice(int number) { return 3 * number; }

int work(int times) {
  int (*const both[])(int) = {twice, thrice};
  int sum = 0;
  for (int i = 0; i < times; i++)
    sum += both[i % 3 != 0](i);
  return sum;
}
