/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Static functions of the same name in two units: two records with names of
 * their own, and values that point to either.
 */
int other(int n);

static int work(int n) { return n * 2; }
static int (*volatile chosen)(int) = work;

int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += chosen(i) + other(i);
  return sum & 63;
}
