/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sites in three units that share one pool of values, seen in turns.
 */
int second(int n);
int third(int n);

static int f(int n) { return n + 1; }
static int (*volatile here)(int) = f;

int main(void) {
  int sum = 0;
  for (int i = 0; i < 12; i++) {
    sum += here(i) + second(i) + third(sum & 7);
    if (i % 4 == 3)
      here = i & 4 ? second : third;
  }
  return sum & 63;
}
