/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * exit from deep in nested calls and loops: nothing is unwound, and counters
 * that are kept in registers up the stack are lost the same way.
 */
#include <stdlib.h>

static void deep(int n, int limit) {
  for (int i = 0; i < 4; i++) {
    if (n > limit)
      exit(n);
    deep(n + i + 1, limit);
  }
}

int main(void) {
  for (int i = 0; i < 3; i++)
    deep(0, 17);
  return 1;
}
