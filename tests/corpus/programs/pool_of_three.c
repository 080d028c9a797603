/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A pool of three files by %3m, filled by six runs: which one a run takes is
 * free, none is lost.
 *
 * free: the number of the process chooses the file of the pool
 * without: single-byte function block temporal temporal-block
 * without: binary debug-info debug-info-14
 */
static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(int argc, char **argv) {
  int sum = 0;
  (void)argv;
  for (int i = 0; i < argc * 7; i++)
    sum += work(i);
  return sum & 63;
}
