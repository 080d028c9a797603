/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loops of every form, left by break, continue and goto: counters that
 * optimisation keeps in registers must be back in memory at exit.
 */
static int primes(int limit) {
  int count = 0;
  for (int n = 2; n < limit; n++) {
    int divisor = 2;
    while (divisor * divisor <= n) {
      if (n % divisor == 0)
        goto next;
      divisor++;
    }
    count++;
  next:;
  }
  return count;
}

int main(void) {
  int sum = 0, i = 0;
  do {
    if (i % 3 == 0)
      continue;
    if (i > 40)
      break;
    sum += primes(i);
  } while (++i < 50);
  for (int a = 0; a < 20; a++)
    for (int b = a; b < 20; b += 3)
      sum += a ^ b;
  return sum & 63;
}
