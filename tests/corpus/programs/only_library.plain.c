/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The main of only_library.c, without instrumentation.
 */
int work(int n);

int main(void) {
  int sum = 0;
  for (int i = 0; i < 8; i++)
    sum += work(i);
  return sum & 63;
}
