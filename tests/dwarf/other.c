/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A unit of another language, with a file of another folder.
 */
#include "other.h"

int other(int value);
int not_called(int value);

int other(int value) {
  int sum = halved(value) + halved(value + 1);
  while (sum > 100)
    sum = halved(sum);
#line 4000 "elsewhere/not-there.c"
  return sum + halved(sum) * 3;
}

int not_called(int value) { return halved(other(value)); }
