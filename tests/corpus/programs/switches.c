/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Switches, dense and sparse, with cases that fall through: many counters of
 * one function, some without a count of their own.
 */
static int dense(int n) {
  switch (n) {
  case 0:
    return 5;
  case 1:
    return 3;
  case 2:
    n += 2; /* fall through */
  case 3:
    n *= 3; /* fall through */
  case 4:
    return n;
  case 5:
  case 6:
  case 7:
    break;
  case 8:
    return 1;
  default:
    return -n;
  }
  return n + 1;
}

static int sparse(unsigned n) {
  switch (n) {
  case 10:
    return 1;
  case 1000:
    return 2;
  case 100000:
    return 3;
  case 0x80000000u:
    return 4;
  }
  return 0;
}

int main(void) {
  int sum = 0;
  for (int i = -2; i < 20; i++)
    sum += dense(i);
  for (unsigned i = 1; i < 10000000; i *= 10)
    sum += sparse(i);
  return sum & 63;
}
