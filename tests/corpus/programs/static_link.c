/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program without shared libraries: no ld.so, the runtime finds its build id
 * and its thread storage all the same.
 *
 * link: -static
 * without: lto thin-lto-cs
 */
static int f(int n) { return n + 1; }
static int g(int n) { return n * 2; }
static int (*const volatile targets[])(int) = {f, g};

int main(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += targets[i % 2](i);
  return sum & 63;
}
