/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Templates, a class with virtual functions, lambdas.
 */
#include "work.h"

namespace {
template <typename T> T largest(T a, T b) {
  if (a > b)
    return a;
  return b;
}

struct shape {
  virtual int area() const = 0;
};
struct square : shape {
  int side;
  explicit square(int s) : side(s) {}
  int area() const override { return side * side; }
};
struct strip : shape {
  int length;
  explicit strip(int l) : length(l) {}
  int area() const override { return length > 4 ? 4 : length; }
};
} // namespace

extern "C" int more(int count) {
  int sum = 0;
  auto add = [&sum](int value) {
    if (value % 2)
      sum += value;
    else
      sum += 2;
  };
  for (int i = 0; i < count; i++) {
    square one(i);
    strip other(i);
    const shape *any = i % 3 ? static_cast<const shape *>(&one) : &other;
    add(any->area());
    sum = largest(sum, 3);
    sum += static_cast<int>(largest<long>(i, half(sum)) & 3);
  }
  return sum;
}
