/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decisions of 10 conditions, nested, with side effects: bitmaps of more than a
 * hundred bytes, several in one function.
 */
static int bit(unsigned n, int at) { return n >> at & 1; }

static int wide(unsigned n) {
  if ((bit(n, 0) || bit(n, 1)) && (bit(n, 2) || bit(n, 3) || !bit(n, 4)) &&
      (bit(n, 5) || (bit(n, 6) && !bit(n, 7)) || bit(n, 8) || bit(n, 9)))
    return 1;
  if (bit(n, 1) && bit(n, 2) && bit(n, 3) && bit(n, 4) && bit(n, 5))
    return 2;
  return 0;
}

int main(void) {
  int sum = 0;
  for (unsigned n = 1; n < 1000; n += n / 3 + 1)
    sum += wide(n) || (n & 4 && sum & 1);
  return sum;
}
