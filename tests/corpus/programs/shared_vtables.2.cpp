/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The other unit of shared_vtables.cpp.
 */
#include "shared_vtables.h"

namespace {
struct Local : Base {
  int get(int n) override { return n & 2 ? n : 3; }
};
} // namespace

int elsewhere(int n) {
  Holder<int> ints;
  Local local;
  return call(n & 1 ? static_cast<Base *>(&ints) : &local, n);
}
