/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The other unit of local_classes.cpp.
 */
int elsewhere(int n);

namespace {
int work(int n) { return n & 4 ? n : 3; }
} // namespace

static int make(int n) {
  struct Inner {
    int value;
    int get() const { return value > 5 ? 5 : value; }
  };
  return Inner{n}.get();
}

int elsewhere(int n) { return work(n) - make(n); }
