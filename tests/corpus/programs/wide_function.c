/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One function of 200 counters, reached through a table of jumps.
 */
#define C(n)              \
  case n:                 \
    sum += n % 7 ? 1 : 3; \
    break;
#define C10(n) \
  C(n##0)      \
  C(n##1) C(n##2) C(n##3) C(n##4) C(n##5) C(n##6) C(n##7) C(n##8) C(n##9)
#define C100(n)                                                         \
  C10(n##0)                                                             \
  C10(n##1) C10(n##2) C10(n##3) C10(n##4) C10(n##5) C10(n##6) C10(n##7) \
      C10(n##8) C10(n##9)

static int wide(int n, int sum) {
  switch (n) { C100(1) C100(2) }
  return n & 1 ? sum : sum + 1;
}

int main(void) {
  int sum = 0;
  for (int i = 90; i < 320; i += 5)
    sum = wide(i, sum);
  return sum & 63;
}
