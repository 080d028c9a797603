/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A site with one target, called 100,000 times: the first value of a list, and
 * a count of more than 16 bits.
 */
static int work(int n) { return n & 1 ? n * 3 : n / 2; }
static int (*volatile target)(int) = work;

int main(void) {
  int n = 27;
  for (int i = 0; i < 100000; i++)
    n = target(n) & 1023;
  return n & 63;
}
