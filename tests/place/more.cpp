// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable that clang computes when it compiles: the count is in the object.
#include "code.h"

static int fixed(int from) { return from > 2 ? from : 1; }

int two = fixed(5);

int more(int number) {
  return larger(number, 2) + larger(-number, number) + two + fixed(number);
}
