// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shared.h"

namespace {
struct squared : shape {
  int area(int scale) override { return limited(scale * scale, 70); }
};
int helper(int value) { return value > 3 ? value * 2 : value; }
squared only;
} // namespace

shape *other_shape() {
  new (&only) squared;
  seen += helper(seen);
  return &only;
}

int seen;
