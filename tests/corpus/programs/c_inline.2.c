/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The other unit of c_inline.c.
 */
#include "c_inline.h"

int again(int n) {
  static int (*volatile kept)(int) = c99;
  return gnu(n) + kept(n + 1);
}
