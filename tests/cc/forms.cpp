/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Increments in all forms: in templates, lambdas and functions that are always
 * inlined, in local functions, whose names are in quotes, and steps that are
 * values.
 */
template <class T> __attribute__((always_inline)) inline T choose(T a, T b) {
  return a > b ? a + b : a - b;
}

struct base {
  virtual int first(int x) { return x && x > 3 ? 1 : 2; }
};

static thread_local int calls;

namespace {
int hidden(int x) {
  asm volatile("" ::: "memory");
  return x ? choose(x, 2) : 1;
}
} // namespace

int forms(base *object, int x);
int forms(base *object, int x) {
  auto outside = [x](int y) { return y > x || y < 2; };
  int sum = 0;
  for (int i = 0; i < x; i++)
    sum += i % 3 ? hidden(i) : choose(i, x);
  switch (++calls & 3) {
  case 0: return sum;
  case 1: sum++; break;
  default: sum--;
  }
  return object->first(x) + sum + outside(x);
}
