/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Virtual calls: 6 of which go to one class and 2 to another, by vtables that
 * the profile describes and names.
 */
#include "counts.h"

volatile unsigned counts_input;

struct shape {
  virtual unsigned area(unsigned side) const = 0;
};
struct square : shape {
  unsigned area(unsigned side) const override { return side * side; }
};
struct line : shape {
  unsigned area(unsigned) const override { return 0; }
};

static square a_square;
static line a_line;
static const shape *volatile shapes[] = {&a_square, &a_line};

__attribute__((noinline)) void measure(const shape *any) {
  counts_input += any->area(counts_input);
}

extern "C" void counts_run(void) {
  for (unsigned i = 0; i < 8; i++)
    measure(shapes[i % 4 == 3]);
}

/* Where a pure virtual call would end, of the C++ library. */
extern "C" void __cxa_pure_virtual(void);
extern "C" void __cxa_pure_virtual(void) { __builtin_trap(); }
