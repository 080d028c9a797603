/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Its arguments say what runs: cN clamps N to 5, oN makes N louder.
 */
#include "texts.h"

#define BOTH(value, more) \
  ((value) > 1 &&         \
   (more) > 1)

int main(int count, char **list) {
  int all = 0;
  for (int i = 1; i < count; i++) {
    int value = list[i][1] - '0';
    if (list[i][0] == 'c')
      CLAMP(value, 5);
    else
      LOUDER(value);
    if (BOTH(value, i))
      all++;
  }
  return all < 0;
}
