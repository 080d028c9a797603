/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the conditions of a decision were, a line each time. Nothing counts this
 * file.
 */
#include <stdio.h>

enum { CONDITIONS = 10 };
static unsigned bits;
static char seen[CONDITIONS + 1];

void start(unsigned values) {
  bits = values;
  for (int i = 0; i < CONDITIONS; i++)
    seen[i] = '-';
}

int c(int number) {
  int value = bits >> number & 1;
  seen[number] = (char)('0' + value);
  return value;
}

int done(int decision, int outcome) {
  printf("%d %d %s\n", decision, outcome != 0, seen);
  return outcome;
}
