/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Virtual calls through one base: sites whose targets are methods, and whose
 * vtables are profiled too.
 */
struct Shape {
  virtual int area(int n) const = 0;
  virtual ~Shape() {}
};
struct Square : Shape {
  int area(int n) const override { return n * n; }
};
struct Line : Shape {
  int area(int n) const override { return n > 3 ? 0 : 1; }
};
struct Tall : Square {
  int area(int n) const override { return Square::area(n) * 2; }
};

__attribute__((noinline)) static int sum(const Shape &shape, int n) {
  return shape.area(n) + shape.area(n + 1);
}

int main() {
  Square square;
  Line line;
  Tall tall;
  int all = 0;
  for (int i = 0; i < 20; i++)
    all += sum(i % 5 == 0 ? line : i % 2 ? (const Shape &)tall : square, i);
  return all & 63;
}
