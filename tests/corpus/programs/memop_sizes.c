/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * memcpy, memmove, memset, memcmp and bcmp of every size from 0 to 600: each
 * bucket of sizes and its edges, at sites that hold them all.
 *
 * flags: -mllvm -vp-counters-per-site=32
 */
#include <string.h>

static char a[4096], b[4096];
static volatile int sum;

int main(void) {
  for (size_t n = 0; n < 9; n++) {
    memcpy(a, b, n);
    memset(a + 9, 1, n);
  }
  for (size_t n = 8; n <= 17; n++)
    memmove(a + 1, a, n);
  for (size_t n = 0; n <= 600; n += 1 + n / 200 * 7)
    memset(b, (int)n, n);
  for (size_t n = 31; n < 1100; n = n * 2 + (n & 1 ? 1 : 0))
    sum += memcmp(a, b, n) > 0;
  for (size_t n = 64; n < 4096; n += 63)
    sum += bcmp(a, b, n) != 0;
  return sum & 63;
}
