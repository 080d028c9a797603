/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Class templates with virtual functions, made in two units, and classes of the
 * same name that each unit has for itself: vtables in comdats, and local ones.
 * without-14: lto
 */
#include "shared_vtables.h"

namespace {
struct Local : Base {
  int get(int n) override { return n & 1 ? n : 1; }
};
} // namespace

int main() {
  Holder<int> ints;
  Holder<char> chars;
  Local local;
  Base *const all[] = {&ints, &chars, &local};
  int sum = 0;
  for (int i = 0; i < 18; i++)
    sum += call(all[i % 3], i) + elsewhere(i);
  return sum & 63;
}
