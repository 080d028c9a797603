/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts that do not depend on the machine.
 */
#include "code.h"

/* Between the counters, so that these are in several ranges. */
static char between[37];
int never(int number);

int decide(int a, int b, int c) { return (a > 3 && b < 2) || c; }

static int step(int number) {
  switch (number % 5) {
  case 0:
    return between[number % 37]++;
  case 3:
    return -1;
  default:
    return number;
  }
}

int steps(int count) {
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += step(i);
  return sum;
}

/* Nothing calls it. */
int never(int number) { return number ? 1 : 2; }

int code(void) {
  int sum = steps(70000);
  for (int i = 0; i < 8; i++)
    sum += decide(i, i & 3, i == 2);
  return sum + objects(7) + more(3);
}
