/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Namespaces without a name, and classes within functions, in two units with
 * the same names.
 */
int elsewhere(int n);

namespace {
int work(int n) { return n > 2 ? n : 2; }
} // namespace

static int make(int n) {
  struct Inner {
    int value;
    int get() const { return value & 1 ? value : 4; }
  };
  return Inner{n}.get();
}

int main() {
  int sum = 0;
  for (int i = 0; i < 7; i++)
    sum += work(i) + make(i) + elsewhere(i);
  return sum & 63;
}
