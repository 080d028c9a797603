/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A function that a resolver picks before main, and before constructors: the
 * resolver is not counted, what it picked is.
 *
 * without: thin-lto-cs
 */
static int fast(int n) { return n * 2; }
static int slow(int n) {
  int sum = 0;
  while (n-- > 0)
    sum += 2;
  return sum;
}

__attribute__((no_profile_instrument_function)) static int (*pick(void))(int) {
  static const char feature = 1;
  return feature ? slow : fast;
}

int work(int n) __attribute__((ifunc("pick")));
static int (*volatile by_value)(int) = fast;

int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += work(i) + by_value(i);
  return sum & 63;
}
