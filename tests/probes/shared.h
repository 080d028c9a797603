// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of both files: the linker keeps one copy of each.

struct shape {
  virtual int area(int scale) = 0;
};

extern int seen;

template <class number>
__attribute__((noinline)) number limited(number value, number most) {
  if (value > most) {
    seen++;
    return most;
  }
  return value;
}

shape *other_shape();

inline void *operator new(decltype(sizeof 0), void *at) { return at; }
extern "C" inline void __cxa_pure_virtual() {}
