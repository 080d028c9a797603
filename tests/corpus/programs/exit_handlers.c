/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers of atexit: those registered by main run before the runtime writes,
 * one that registers another while exit is under way too.
 */
#include <stdlib.h>

static volatile int sum;

static void last(void) { sum += sum > 2 ? 1 : 2; }
static void second(void) {
  for (int i = 0; i < 4; i++)
    sum += i;
  atexit(last);
}
static void first(void) { sum++; }

int main(void) {
  atexit(second);
  atexit(first);
  return 0;
}
