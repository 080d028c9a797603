/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls through pointers and copies of changing sizes in one function: sites of
 * two kinds, numbered through.
 */
#include <string.h>

static char a[256], b[256];
static void set(size_t n) { memset(a, 1, n); }
static void copy(size_t n) { memcpy(b, a, n); }
static void both(size_t n) {
  memmove(a, a + 1, n);
  memmove(b, b + 1, n / 2);
}
static void (*volatile steps[])(size_t) = {set, copy, both};

int main(void) {
  for (size_t i = 0; i < 30; i++) {
    steps[i % 3](i * 3);
    memcpy(b + 1, a, i % 5);
    steps[(i + 1) % 3](i);
  }
  return a[7] + b[5];
}
