/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Instrumented functions that libc calls: qsort and bsearch compare with them
 * in the middle of code that has no counters.
 */
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  const int *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

int main(void) {
  int numbers[40], key = 33;
  for (int i = 0; i < 40; i++)
    numbers[i] = i * 37 % 101;
  qsort(numbers, 40, sizeof *numbers, compare);
  int *found = bsearch(&key, numbers, 40, sizeof *numbers, compare);
  return found ? *found : 1;
}
