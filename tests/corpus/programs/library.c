/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program and two libraries that it is linked to: each has a runtime and a
 * file of its own, with functions of the same name.
 *
 * without: debug-info-14
 */
int first(int n);
int second(int n);

static int work(int n) { return n > 2 ? n : 2; }

int main(void) {
  int sum = 0;
  for (int i = 0; i < 9; i++)
    sum += work(i) + first(i) + second(i);
  return sum & 63;
}
