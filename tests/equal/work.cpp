/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Instrumented C++: templates and inline functions in comdat groups, virtual
 * calls, static functions, decisions of several conditions.
 */
#include "work.h"

#include <string.h>

struct shape {
  virtual int area() const { return 0; }
};
struct square : shape {
  int side;
  explicit square(int s) : side(s) {}
  int area() const override { return side * side; }
};
struct oblong : shape {
  int width, height;
  oblong(int w, int h) : width(w), height(h) {}
  int area() const override { return width * height; }
};

template <typename T>
T larger(T a, T b) {
  return a > b ? a : b;
}

template <int N>
struct repeat {
  static int sum(const shape &shape) {
    return shape.area() + repeat<N - 1>::sum(shape);
  }
};
template <>
struct repeat<0> {
  static int sum(const shape &) { return 0; }
};

inline bool odd_one(int a, int b, int c) { return (a && !b) || (b && c); }

static int pick(int i, const shape &a, const shape &b) {
  return i % 3 ? a.area() : b.area();
}

int never(int value) { return larger(value, 3); }

int work(int rounds) {
  square a(3);
  oblong b(2, 5);
  char from[32] = "profile", to[32];
  int sum = repeat<3>::sum(a);
  for (int i = 0; i < rounds; i++) {
    sum += pick(i, a, b) + (odd_one(i & 1, i & 2, i & 4) ? 1 : 0);
    sum += larger(i, 4) + static_cast<int>(larger(0.5 * i, 2.0));
    memcpy(to, from, static_cast<size_t>(i % 5));
    sum += to[0];
  }
  return sum;
}
