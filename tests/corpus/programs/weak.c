/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A weak function that another unit overrides, and one that nobody does: the
 * record of the loser is in the file or not, but never with wrong counts.
 */
int __attribute__((weak)) overridden(int n) { return n + 1; }
int __attribute__((weak)) alone(int n) { return n > 3 ? n : 3; }
int __attribute__((weak)) absent(int n);
int elsewhere(int n);

int main(void) {
  int sum = 0;
  for (int i = 0; i < 6; i++) {
    sum += overridden(i) + alone(i) + elsewhere(i);
    if (absent)
      sum += absent(i);
  }
  return sum & 63;
}
