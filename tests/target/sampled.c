/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * 1,003 counts in a row that is known by hand, for instrumentation that takes
 * samples of it: of each ten the first three.
 */
#include "counts.h"

volatile unsigned counts_input;

__attribute__((noinline)) void even(void) { counts_input += 2; }
__attribute__((noinline)) void odd(void) { counts_input++; }

__attribute__((no_profile_instrument_function)) void counts_run(void) {
  for (unsigned i = 0; i < 500; i++) {
    even();
    odd();
  }
  odd();
  odd();
  odd();
}
