/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Eight processes that merge into one file at the same time: without a lock,
 * or with one that is given back too early, counts are lost.
 *
 * without: temporal temporal-block
 * without: debug-info-14
 */
#include <sys/wait.h>
#include <unistd.h>

static int work(int n) { return n & 1 ? n * 3 : n / 2; }

int main(void) {
  int gate[2], sum = 0, child = 0;
  char byte;
  if (pipe(gate) != 0)
    return 1;
  for (int i = 0; i < 7 && !child; i++)
    child = fork() == 0;
  close(gate[1]);
  if (child && read(gate[0], &byte, 1) < 0)
    return 1;
  close(gate[0]);
  for (int i = 0; i < 50; i++)
    sum += work(i);
  while (!child && wait(NULL) > 0)
    continue;
  return sum & 63;
}
