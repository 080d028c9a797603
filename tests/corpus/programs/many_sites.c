/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Seventy sites of values in one function, most with two values: the index of a
 * site has more than a byte of records before it.
 */
static int f(int n) { return n + 1; }
static int g(int n) { return n * 2; }
static int (*volatile one)(int) = f, (*volatile two)(int) = g;

#define S sum = (sum & 1 ? one : two)(sum)&1023;
#define S7 S S S S S S S
#define S70 S7 S7 S7 S7 S7 S7 S7 S7 S7 S7

int main(void) {
  int sum = 1;
  for (int i = 0; i < 5; i++) {
    S70 sum += i;
  }
  return sum & 63;
}
