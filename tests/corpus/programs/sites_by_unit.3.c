/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The third unit of sites_by_unit.c.
 */
#include <string.h>

int third(int n);
static char bytes[64];
int third(int n) {
  memset(bytes, n, (size_t)n & 31);
  memmove(bytes + 1, bytes, (size_t)(n * 5) & 31);
  return bytes[3];
}
