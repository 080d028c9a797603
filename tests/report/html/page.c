/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a page has to show, once each.
 */
#include "page.h"
int never(int a) { return a ? 1 : 2; }
int lacks(int a, int b, int c) {
  if (a && (b || !c))
    return 1;
  if (BOTH(a, b) || c)
    return 2;
  if (READY(a) && b)
    return 3;
  if (a && leaf(b || c))
    return 4;
#if 0
  a = b;
#endif
  while (1)
    if (a++ > 3)
      break;
  return a > 9 ? never(a) : leaf(a);
}
int main(void) { return lacks(0, 1, 0) + lacks(1, 0, 1) > 99; }
