/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What gives up stands in several inlined functions, and in the code once.
 */
__attribute__((noreturn, noinline)) void give_up(int status) {
  for (;;)
    *(volatile int *)16 = status;
}

__attribute__((noinline)) int step(int number) {
  return ((volatile int *)32)[number];
}

static int must(int result) {
  if (result < 0)
    give_up(10);
  return result;
}

static void open(int number) { must(step(number)); }

static void close(void) { must(step(9)); }

static void read(int number) {
  open(number);
  while (must(step(0)))
    continue;
  close();
}

__attribute__((noinline)) void work(void) {
  read(1);
  read(2);
  must(step(3));
}

void _start(void) { work(); }
