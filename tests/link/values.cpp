/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Stands in for more.cpp where value profiles are linked: an indirect call,
 * and a virtual one, for value sites, nodes, and virtual tables.
 */
struct shape {
  virtual int area(int n) const { return n; }
};
struct square : shape {
  int area(int n) const override { return n * n; }
};

static const square a_square;
const shape *volatile any_shape = &a_square;
static int half(int n) { return n / 2; }
int (*volatile any_function)(int) = half;

extern "C" int more(int n) { return any_function(n) + any_shape->area(n); }
