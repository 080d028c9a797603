// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constructor before main.
#include "code.h"

static int started;

struct early {
  int value;
  explicit early(int from) : value(larger(from, 3)) { started += value; }
};

volatile int five = 5;
early one(five);

int objects(int number) { return larger(number, 5) + one.value; }
