/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Values of all kinds that C has: indirect calls to several functions at
 * several sites, copies of several sizes, in several functions. At no site are
 * two of one count: llvm-profdata does not say which is first.
 */
#include "counts.h"

volatile unsigned counts_input;

static void plus(unsigned n) { counts_input += n; }
static void minus(unsigned n) { counts_input -= n; }
static void times(unsigned n) { counts_input *= n; }

void (*volatile operations[])(unsigned) = {plus, minus, times};

__attribute__((noinline)) void calls(unsigned n) {
  operations[n < 13 ? 0 : n < 22 ? 1 : 2](n);
  operations[n > 23](n);
}

__attribute__((noinline)) void copies(char *to, const char *from, unsigned n) {
  __builtin_memcpy(to, from, n < 3 ? 40 : n < 8 ? 80 : n < 17 ? 600 : 7);
  __builtin_memset(to, 1, n < 10 ? 5 : n < 21 ? 0 : 513);
}

/* Both kinds of sites in one function. */
__attribute__((noinline)) void both(char *to, const char *from, unsigned n) {
  operations[2](n);
  __builtin_memcpy(to, from, n);
  operations[n & 1](n);
}

void counts_run(void) {
  static char to[600], from[600];
  for (unsigned i = 0; i < 30; i++) {
    calls(i);
    copies(to, from, i);
    both(to, from, (i >= 4) + (i >= 13));
  }
}
