/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two harts run one function together, and each runs one alone.
 */
#include "board.h"

#ifndef TIMES
#define TIMES 4000
#endif

static volatile unsigned started[2], finished, sink[2];

__attribute__((noinline)) static void both(unsigned hart) {
  for (unsigned i = 0; i < TIMES; i++)
    if ((i ^ hart) & 3)
      sink[hart] += i;
    else
      sink[hart] ^= i;
}

__attribute__((noinline)) static void alone(unsigned hart) {
  if (hart)
    sink[hart] += 5;
  else
    sink[hart] += 7;
}

static void run(unsigned hart) {
  started[hart] = 1;
  while (!started[!hart]) {
  }
  both(hart);
  alone(hart);
}

void board_secondary(unsigned hart) {
  if (hart != 1)
    return;
  run(hart);
  __asm__ volatile("fence" ::: "memory");
  finished = 1;
}

int main(void) {
  run(0);
  while (!finished) {
  }
  return 0;
}
