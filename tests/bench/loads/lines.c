/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Workload: functions of one line each, as macros and dense styles make them.
 * What a count of calls says of such a line: of `twice` all, as both of its
 * calls are made each time; of `choose`, `checked` and `total` nothing. In each
 * of eight rounds `choose` calls leaf once, and `other` otherwise.
 */
#include "forms.h"

#ifndef ROUNDS
#define ROUNDS 1000
#endif

#ifndef CALLED
#define CALLED __attribute__((noinline))
#endif

/* For compilers, what a macro makes is in one line. */
#define LINE(...) __VA_ARGS__

static uint32_t sum = 1;

CALLED static uint32_t leaf(uint32_t x) { return x * 1664525 + sum; }
CALLED static uint32_t other(uint32_t x) { return (sum ^= x) + 7; }
CALLED static uint32_t never(uint32_t x) { return x ^ (sum += x); }
CALLED static uint32_t twice(uint32_t x) { return other(other(x)) + 1; }

LINE(CALLED static uint32_t choose(uint32_t x) {
  if (x & 7)
    x = other(x);
  else
    x = leaf(x);
  return x + 1;
})

LINE(CALLED static uint32_t checked(uint32_t x) {
  if (sum == 0)
    x = never(x);
  return other(x) + 1;
})

LINE(CALLED static uint32_t total(uint32_t n) {
  uint32_t all = 1;
  for (uint32_t i = 0; i < n; i++) {
    all = all * 31 + i;
    if (all % 64 == 0)
      all += leaf(i);
  }
  return all;
})

CALLED static uint32_t spread(uint32_t n) {
  uint32_t all = 0;
  for (uint32_t i = 0; i < n; i++)
    all += other(i);
  return all;
}

void work(void) {
  for (uint32_t i = 0; i < 8 * ROUNDS; i++) {
    sum += twice(i);
    sum += choose(i);
    sum += checked(i);
    sum += total(60);
    sum += spread(3);
  }
}

uint32_t work_result(void) { return sum; }
