/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions whose counts are known by hand, in C and, compiled as C++, with
 * a constructor and a template. expected says what each mode of
 * instrumentation must report for them.
 */
#include "counts.h"

volatile unsigned counts_input;

/* Called by nobody, but reachable for all that the linker knows. */
__attribute__((noinline)) void never(void) { counts_input = 1; }
void (*volatile counts_never)(void) = never;

__attribute__((noinline)) void once(void) { counts_input += 2; }

/* The loop body runs 10 times in one call. */
__attribute__((noinline)) void loop(void) {
  for (unsigned i = 0; i < 10; i++)
    counts_input += i;
}

/* 7 calls, of which 4 take the first branch. */
__attribute__((noinline)) void branch(unsigned value) {
  if (value < 4)
    counts_input += 3;
  else
    counts_input ^= 5;
}

/* 3 calls: two of three conditions show their independent effect. */
__attribute__((noinline)) int decide(unsigned a, unsigned b, unsigned c) {
  if (a && (b || c))
    return 1;
  return 0;
}

static void twice(void) { counts_input += 7; }

/* An indirect call and a copy whose size varies: two value sites. */
__attribute__((noinline)) void values(char *to, const char *from) {
  void (*volatile call)(void) = twice;
  for (unsigned i = 0; i < 2; i++) {
    call();
    __builtin_memcpy(to, from, counts_input & 7);
  }
}

void counts_run(void) {
  static char to[8];
  once();
  loop();
  for (unsigned i = 0; i < 7; i++)
    branch(i);
  decide(0, 1, 0);
  decide(1, 1, 0);
  decide(1, 0, 0);
  values(to, "1234567");
  if (counts_input == 0xFFFFFFFF)
    counts_never();
}
