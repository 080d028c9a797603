/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decisions of which 3 of 12 conditions show their effect: a and b in `first`,
 * and b in the first of `chosen`, which has three on a line.
 */
static int first(int a, int b, int c) { return a && (b || c) ? 1 : 2; }

static int chosen(int a, int b, int c) {
  return (a || b) + (b && c) + (a || c) * 2;
}

static int never(int a, int b, int c) { return a && b && c ? 1 : 2; }

int main(void) {
  int sum = first(1, 1, 0) + first(1, 0, 0) + first(0, 0, 0);
  sum += chosen(0, 1, 0) + chosen(0, 0, 0);
  return sum > 100 ? never(1, 1, 1) : 0;
}
