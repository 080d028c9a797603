/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Objects deleted through a base: destructors in three versions, those of the
 * same code under one symbol or two.
 */
static int gone;

struct Base {
  virtual ~Base() { gone++; }
};
struct Small : Base {
  ~Small() override { gone += gone & 1; }
};
struct Member {
  ~Member() { gone += 2; }
};
struct Big : Small {
  Member members[3];
};

__attribute__((noinline)) static void drop(Base *base) { delete base; }

int main() {
  for (int i = 0; i < 8; i++)
    drop(i % 3 == 0 ? new Base : i % 3 == 1 ? new Small : new Big);
  return gone & 63;
}
