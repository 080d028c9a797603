/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Macros that expand several times in a line, and within each other; a body
 * that is a file; functions of one macro, and of one line.
 */
#include "empty.h"
#define TEST(x) ((x) ? 1 : 0)
#define BOTH(a, b) (TEST(a) + TEST(b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define EITHER(a, b) ((a) || (b))
#define TWICE(a, b) EITHER(a, 1) && EITHER(b, a)
#define CHECK(c)   \
  do {             \
    if (!(c))      \
      return 1;    \
  } while (0)
#define PAIR(f, g)                           \
  static int f(int a) { return a && a > 3; } \
  static int g(int a) { return a ? 1 : 2; }
static int once(int x, int y) { return BOTH(x, y); }
static int maxima(int x, int y) { return MAX(4, 8) + MAX(x, y) + MAX(y, 2); }
static int nested(int x) { return MAX(MAX(x, 1), MAX(3, 2)) + MAX(TEST(x), 0); }
static int line(int a) { return BOTH(a, 1); } int never(int a) { return !a; }
PAIR(left, right)
static int checked(int x, int y) {
  CHECK(x && y);
  CHECK(EITHER(y, x && y) || (x && y > 3));
  return 0;
}
static int covered(int a, int b) { return a && (b || 0); }
static int constant(int a, int b) { return a && EITHER(1, b) && (0 || b); }
static int body(int x, int y) {
#include "body.inc"
  return TWICE(x, y) ? 1 : EITHER(y, 0) && (x || 1) && y;
}
int main(void) {
  if (0 && never(1))
    return 1;
  covered(1, 1), covered(1, 0), covered(0, 1), constant(1, 0);
  switch (once(1, 0)) {
  case 1: return 0 * (maxima(1, 2) + nested(2) + line(0) + left(1) +
                   body(1, 0) + checked(1, 0));
  case 2: return right(2);
  default: return 2;
  }
}
