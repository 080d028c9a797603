/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One site that sees many values, as sizes of copies or as functions: these
 * are called as often as their number says.
 */
#define FUNCTION(n) \
  static int f##n(int of) { return of + n; }
#define TEN(n)                                                               \
  FUNCTION(n##0)                                                             \
  FUNCTION(n##1)                                                             \
  FUNCTION(n##2) FUNCTION(n##3) FUNCTION(n##4) FUNCTION(n##5) FUNCTION(n##6) \
      FUNCTION(n##7) FUNCTION(n##8) FUNCTION(n##9)
#define NAMES(n)                                                          \
  f##n##0, f##n##1, f##n##2, f##n##3, f##n##4, f##n##5, f##n##6, f##n##7, \
      f##n##8, f##n##9
TEN(1)
TEN(2)
TEN(3) TEN(4) TEN(5) TEN(6) static int (*const functions[])(int) = {
    NAMES(1), NAMES(2), NAMES(3), NAMES(4), NAMES(5), NAMES(6)};

int main(void) {
  int sum = 0;
  for (int i = 0; i < 60; i++)
    for (int times = 10 + i; times; times--)
      sum += functions[i](times);
  return sum == 1;
}
