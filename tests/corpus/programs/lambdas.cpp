/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lambdas, generic and nested, as values and as pointers to functions: local
 * names that have numbers in them.
 */
template <class F>
static int apply(F f, int n) {
  return n > 0 ? f(n) + apply(f, n - 3) : 0;
}

static int (*const volatile plain[])(int) = {
    [](int n) { return n & 1 ? n : 2; }, [](int n) { return n > 4 ? 4 : n; }};

int main() {
  int base = 3;
  auto add = [&base](int n) {
    auto twice = [base](auto m) { return m > base ? m : base; };
    return twice(n) + static_cast<int>(twice(1.5));
  };
  int sum = apply(add, 12) + apply([](auto n) { return n % 2; }, 7);
  for (int i = 0; i < 10; i++)
    sum += plain[i % 2](i);
  return sum & 63;
}
