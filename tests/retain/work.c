/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counted code. Only the counts of all starts together show every branch
 * of visit, and that each condition of decide has an effect.
 */
#include "work.h"

static volatile int result;

/* Whatever differs between two builds, but no address. */
#ifdef OTHER
enum { STEP = 2 };
#else
enum { STEP = 1 };
#endif

/* Between the code and the records: only addresses differ. */
#ifdef MOVED
extern const char moved[64];
__attribute__((used, retain)) const char moved[64] = "64 bytes of ROM";
#endif

__attribute__((noinline)) static int decide(int a, int b, int c) {
  return (a && b) || c;
}

int visit(unsigned start) {
  for (unsigned i = 0; i < 5; i++)
    result += STEP;
  switch (start) {
  case 0:
    return decide(1, 1, 0);
  case 1:
    return decide(0, 1, 0);
  case 2:
    return decide(1, 0, 0);
  default:
    return decide(0, 1, 1);
  }
}

void tick(void) { result += STEP; }

void crash(void) { __builtin_trap(); }
