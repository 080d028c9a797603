/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Three runs into one file by %m: each merges itself into what is there, values
 * included.
 *
 * without: temporal temporal-block
 * without: drivers-own
 * without: debug-info-14
 */
#include <string.h>

static char a[64], b[64];
static int f(int n) { return n + 1; }
static int g(int n) { return n * 2; }
static int (*const volatile targets[])(int) = {f, g, f};

int main(int argc, char **argv) {
  int sum = 0;
  (void)argv;
  for (int i = 0; i < argc * 5; i++) {
    sum += targets[argc - 1](i);
    memcpy(a, b, (size_t)(argc * i));
  }
  return sum & 63;
}
