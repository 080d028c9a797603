/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A diamond of virtual bases: vtables used while constructing, virtual thunks,
 * constructors in two versions.
 */
struct Top {
  int seen = 0;
  Top() { note(1); }
  virtual void note(int n) { seen += n; }
  virtual ~Top() {}
};
struct Left : virtual Top {
  Left() { note(2); }
  void note(int n) override { seen += n * 3; }
};
struct Right : virtual Top {
  Right() { note(4); }
};
struct Bottom : Left, Right {
  Bottom() { note(8); }
  void note(int n) override { seen += n > 1 ? n * 5 : 1; }
};

__attribute__((noinline)) static void tell(Top &top) { top.note(7); }

int main() {
  Bottom bottom;
  Left left;
  for (int i = 0; i < 6; i++)
    tell(i % 2 ? static_cast<Top &>(left) : bottom);
  return (bottom.seen + left.seen) & 63;
}
