/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The only instrumented code of these tests: main and an interrupt, or two
 * harts, run it at one time.
 */
#include "common.h"

__attribute__((noinline)) void shared(void) { __asm__ volatile(""); }

__attribute__((noinline)) int decide(unsigned a, unsigned b, unsigned c) {
  if (a && (b || c))
    return 1;
  return 0;
}
