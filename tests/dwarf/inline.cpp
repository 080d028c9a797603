// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions inlined into each other: several calls on a line, templates,
// methods, recursion, a cold path, and some that the linker drops.
namespace {
volatile int sink;

struct Point {
  int x, y;
  int length() const { return x * x + y * y; }
  Point moved(int by) const { return {x + by, y - by}; }
};

template <int N> inline int scaled(int value) {
  return value > N ? scaled<N - 1>(value - N) : value * N;
}
template <> inline int scaled<0>(int value) { return value; }

inline int twice(int value) {
  if (value < 0) { sink = value; return -value; }
  return value & 1 ? 3 * value + 1 : value / 2;
}

__attribute__((cold, noinline)) void complain(int value) { sink = value; }
} // namespace

namespace outer {
inline namespace inner {
int sum(const int *list, int count) {
  int total = 0;
  for (int i = 0; i < count; i++) { total += twice(list[i]); if (total > 9000) complain(total); else total += twice(total) - twice(i); }
  return total;
}
} // namespace inner

int dropped(int value) { return sum(&value, 1) + twice(value); }

int fall(int depth) {
  Point point = {depth, sink};
  if (depth < 2)
    return point.moved(depth).length();
  return fall(depth - 1) + fall(depth - 2) + scaled<3>(point.moved(1).length());
}
} // namespace outer

extern "C" int other(int);
extern "C" int also_dropped(int value) { return outer::dropped(other(value)); }

extern "C" void _start(void) {
  static const int list[] = {1, 2, 3, 500, -70};
  for (;;) {
    sink = outer::sum(list, 5) + outer::fall(sink & 7);
    sink += other(sink);
  }
}
