/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The code that the link tests link, with code.cpp and more.cpp. Reached
 * from the entry point: start (1 counter), live_c (4), live_cpp (1), more
 * (1), twice<int> (2). Not reached: dead_c (2), dead_cpp (1),
 * twice<long long> (2). `run` counts on these numbers. Nothing here runs.
 */
int live_cpp(int n);

volatile int result = 3; /* .data, to have a load address in flash */
char odd[5];             /* .bss of an odd size, before the counters */

__attribute__((noinline)) int live_c(int n) {
  if (n > 4 && n < 90)
    n = n * n;
  return n + odd[1];
}

__attribute__((noinline)) int dead_c(int n) {
  if (n > 7)
    n -= 5;
  return n;
}

void start(void) { result = live_c(result) + live_cpp(result); }
