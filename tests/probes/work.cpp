// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same for C++: virtual calls, templates that another file has too, an
// anonymous namespace.
#include "shared.h"

namespace {
struct doubled : shape {
  int value;
  int area(int scale) override {
    int sum = 0;
    for (int i = 0; i < scale; i++)
      sum += limited(value + i, 50);
    return sum;
  }
};

int helper(int value) { return value < 4 ? value : helper(value / 2) + 1; }
} // namespace

int sum;

extern "C" void _start() {
  doubled first;
  first.value = 3;
  shape *shapes[] = {&first, other_shape()};
  for (int i = 0; i < 6; i++)
    sum += shapes[i & 1]->area(i) + helper(i) + limited(long(sum), 9L);
  for (;;)
    ;
}
