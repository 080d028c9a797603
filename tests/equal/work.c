/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Instrumented C: loops, static and inline functions, a call through a
 * pointer and a copy of a size that is not constant (value sites), decisions
 * of several conditions (MC/DC), a function that never runs.
 */
#include "work.h"

#include <string.h>

static int twice(int value) { return 2 * value; }
static int thrice(int value) { return 3 * value; }
int never(int value);
int never(int value) { return value > 3 ? value : -value; }

static inline int both(int a, int b, int c) {
  if ((a && b) || c > 2)
    return 1;
  return a == b ? 2 : 3;
}

static int (*const table[])(int) = {twice, thrice};

int work(int rounds) {
  char from[32] = "profile", to[32];
  int sum = 0;
  for (int i = 0; i < rounds; i++) {
    sum += table[i % 2](i) + both(i & 1, i & 2, i & 4);
    memcpy(to, from, (size_t)(i % 7));
    sum += to[0];
  }
  return sum;
}
