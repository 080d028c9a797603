/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Inline functions of C99, and of GNU C, in two units: copies that are dropped,
 * and one that is kept.
 */
#include "c_inline.h"

extern inline int c99(int n);

int main(void) {
  int sum = 0;
  static int (*volatile kept)(int) = c99;
  for (int i = 0; i < 10; i++)
    sum += c99(i) + gnu(i) + kept(i) + again(i);
  return sum & 63;
}
