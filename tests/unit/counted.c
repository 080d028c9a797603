/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instrumented part of running.c: three regions with known counts.
 */
int counted(int rounds);
int counted(int rounds) {
  int odd = 0;
  for (int i = 0; i < rounds; i++)
    if (i & 1)
      odd++;
  return odd;
}
