/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Direct and mutual recursion: a count is taken while the same function is
 * still counting further up the stack.
 */
static unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }

int main(void) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 20; i++)
    sum += even(i) + odd(i + 1);
  return (int)(sum + ackermann(2, 3)) & 63;
}
