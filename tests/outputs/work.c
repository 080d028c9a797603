/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Branches, loops, decisions, macros and markers; with arguments, more of it.
 */
#include "work.h"

typedef int step(int);
static int plus(int value) { return value + 1; }
static int minus(int value) { return value - 1; }
static step *const steps[] = {plus, minus, half};

int decide(int a, int b, int c) {
  if ((a && b) || (c && !a))
    return 1;
  return a || b ? 2 : 3;
}

int kind_of(int value) {
  switch (value % 5) {
  case 0:
    return 10;
  case 1:
  case 2:
    if (value > 50)
      return 12;
    break;
  case 3:
    return LEAST(value, 40);
  default:
    break;
  }
  return INSIDE(value) ? 1 : 0;
}

int sweep(int from, int to) {
  int sum = 0;
  for (int i = from; i < to; i++) {
    if (i % 7 == 0)
      continue;
    sum += kind_of(i) + steps[i % 2](i);
    while (sum > 1000)
      sum -= 300;
  }
  return sum;
}

static int never(int value) {
  do
    value--;
  while (value > 0);
  return value;
}

/* LCOV_EXCL_START not on a board */
int excluded(int value) {
  return value ? never(value) : 0;
}
/* LCOV_EXCL_STOP */

int main(int count, char **words) {
  int sum = sweep(0, 30 * count) + steps[2](count);
  if (count > 1)
    sum += decide(count, words[1][0] == 'a', 0) + decide(0, 0, 1);
  if (count > 9) /* LCOV_EXCL_BR_LINE */
    sum += never(count);
  sum += more(count * 3);
  return sum == 0; // LCOV_EXCL_LINE
}
