/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two files of a program that ThinLTO links: the other file imports `entry`, so
 * the internal `work`, which that calls, gets another symbol: work.llvm.N.
 */
int entry(int x);
#ifdef OTHER
void _start(void);
void _start(void) {
  for (;;)
    entry(entry(3));
}
#else
extern volatile int port;
volatile int port;

__attribute__((noinline)) static int work(int x) {
  int sum = 0;
  for (int i = 0; i < x; i++)
    sum += port;
  return sum;
}

int entry(int x) { return work(x) + work(x + 1); }
#endif
