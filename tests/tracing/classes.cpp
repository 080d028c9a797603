// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that several objects may have, called and inlined, and virtual.
#include "measured.h"

namespace {

template <class T> struct range {
  T low, high;
  bool has(T value) const { return value >= low && value <= high; }
};

struct shape {
  virtual int area(int scale) const { return scale > 0 && scale < 9; }
};

struct square final : shape {
  int side;
  explicit square(int length) : side(length > 0 ? length : 0) {}
  int area(int scale) const override {
    auto grows = [&](int by) { return by > 1 || (by == 1 && side > 2); };
    return grows(scale) ? side * side * scale : shape::area(scale);
  }
};

}

template <class T> T limited(T value, T most) {
  return value > most && most != 0 ? most : value;
}

template int limited<int>(int, int);
template long limited<long>(long, long);

inline __attribute__((noinline)) int shared(int x) { return x > 3 && x < 30; }

unsigned classes(void) {
  unsigned sum = 0;
  const range<int> small = {2, 9};
  const range<long> wide = {-5, 50};
  for (int i = -2; i < 40; i++) {
    const square one(i & 7);
    const shape *any = &one;
    sum = sum * 17 + unsigned(any->area(i & 3));
    sum = sum * 17 + unsigned(small.has(i) && !wide.has(i * 3L));
    sum = sum * 17 + unsigned(limited(i, 11) + shared(i));
    sum = sum * 17 + unsigned(limited<long>(i, i & 1));
  }
  return sum;
}
