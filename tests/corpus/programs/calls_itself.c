/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A function that calls itself through a pointer: the hook is entered while a
 * call from the same site is still open.
 */
static int down(int n);
static int leaf(int n) { return n; }
static int (*volatile self)(int) = down;

static int down(int n) {
  if (n <= 0)
    return self == down ? 0 : 1;
  int sum = self(n - 1);
  return sum + (n & 1 ? leaf : self)(n - 2);
}

int main(void) { return down(11) & 63; }
