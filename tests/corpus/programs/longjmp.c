/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * longjmp over counted frames: what they counted stays, and functions that
 * return twice count both.
 */
#include <setjmp.h>

static jmp_buf back;
static volatile int depth;

static void down(int n) {
  depth++;
  if (n == 0)
    longjmp(back, depth);
  down(n - 1);
  depth--;
}

int main(void) {
  volatile int turns = 0;
  int seen = setjmp(back);
  if (seen && turns > 3)
    return seen;
  turns++;
  down(turns);
  return 99;
}
