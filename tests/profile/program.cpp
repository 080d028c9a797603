// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with something of all that is counted: branches, conditions,
// calls through pointers, of functions that are instrumented and of some that
// are not, through vtables, and copies of several sizes.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

namespace {
struct Shape {
  virtual int area(int side) const = 0;
  virtual ~Shape() {}
};
struct Square : Shape {
  int area(int side) const override { return side * side; }
};
struct Stripe : Shape {
  int area(int side) const override { return side; }
};

__attribute__((noinline)) int one(int x) { return x + 1; }
__attribute__((noinline)) int two(int x) { return x > 40 ? 2 * x : x; }
int (*volatile calls[])(int) = {one, two, isalpha, isdigit, one, one};
volatile int sizes[] = {0, 3, 8, 9, 100, 513, 600};
} // namespace

__attribute__((noinline)) int judge(int a, int b, int c) {
  if ((a > 10 && b % 2) || (c > 5 && a != b))
    return 1;
  return a && c ? 2 : 3;
}

__attribute__((noinline)) int total(const Shape *shape, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += shape->area(i);
  return sum;
}

int main(int argc, char **argv) {
  static char from[1000], to[1000];
  int runs = argc > 1 ? atoi(argv[1]) : 31, sum = 0;
  for (int i = 0; i < runs; i++) {
    sum += calls[i % 6](i + 40);
    memcpy(to, from, (size_t)sizes[i % 7]);
    sum += judge(i, sum, argc + i % 8) + to[i];
  }
  Shape *shapes[] = {new Square, new Stripe, new Square};
  for (Shape *shape : shapes) {
    sum += total(shape, runs);
    delete shape;
  }
  return sum == 12345;
}
