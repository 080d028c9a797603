/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What both units of shared_vtables.cpp include.
 */
int elsewhere(int n);

struct Base {
  virtual int get(int n) = 0;
};

template <class T>
struct Holder : Base {
  int get(int n) override { return n > (int)sizeof(T) ? n : 2; }
};

inline __attribute__((noinline)) int call(Base *base, int n) {
  return base->get(n);
}
