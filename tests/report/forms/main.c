/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define GUARD(n)
#define EMPTY() ;
#include "forms.h"
#define PAIR(f, g) \
  static int f(int n) { return n; } static int g(int n) { return n + 1; }
PAIR(left, right)
static int one(int n) { return n; } static int other(int n) { return -n; }
int a(int);
int b(int n) {
#include "body.inc"
  return n > 100 ? pick(n) + sized(n, n) + right(n) + other(n) //= 3
                 : guarded(0) + guarded(1);                    //= 3
}
int main(void) { //= 1
#include "last.inc"
  return (a(0) + b(0) + b(0) + b(0) + left(1) + one(1)) * 0; //= 1
}
