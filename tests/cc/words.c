/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The source that words.sh compiles: branches, loops, decisions, some with only
 * one outcome, and two functions, one of which is not called.
 */
static int limit = 3;

static int inside(int a, int b) {
  if ((a > limit && b) || a == -1)
    return 1;
  return a ? 2 : 0;
}

int unused(int a) { return a || limit; }

int main(void) {
  int sum = 0;
  for (int i = 0; i < 6; i++) {
    if (i == 2)
      continue;
    switch (i) {
    case 1:
      sum += inside(i, 1);
      break;
    case 4:
      sum -= 2;
    default:
      sum += i > 4 ? 3 : inside(i, sum);
    }
  }
  while (sum > 9 && limit)
    sum -= 4;
  return sum == 77;
}
