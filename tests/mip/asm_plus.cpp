// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ for `bareprof mip instrument`: functions in groups, virtual ones,
// thunks. Compiled twice, with OTHER too: the linker keeps one of each.
#include "asm_work.h"

template <class T>
struct Box {
  T value;
  explicit Box(T v) : value(v) {}
  virtual ~Box() {}
  __attribute__((noinline)) virtual T get(T more) {
    return more > 3 ? value + more : value;
  }
};

struct Named {
  virtual uint32_t name() { return 1; }
};
struct Both : Box<uint32_t>, Named {
  Both() : Box<uint32_t>(9) {}
  __attribute__((noinline)) uint32_t name() override { return value; }
};

inline __attribute__((noinline)) uint32_t shared(uint32_t value) {
  return value * 3 + 1;
}

template <class T>
__attribute__((noinline)) T unused(T value) {
  return value << 2;
}

namespace {
__attribute__((noinline)) uint32_t hidden(uint32_t value) {
  return value ^ 0x1234;
}
} // namespace

#ifdef OTHER
extern "C" uint32_t other(uint32_t value) {
  Box<uint32_t> box(value);
  return box.get(1) + shared(value) + hidden(value);
}
#else
void operator delete(void *) {}
void operator delete(void *, __SIZE_TYPE__) {}
extern "C" uint32_t other(uint32_t value);
uint32_t (*volatile pointer)(uint32_t) = unused<uint32_t>;
Named *volatile who;

extern "C" uint32_t plus(uint32_t value) {
  Both both;
  who = &both;
  return both.get(value) + shared(value) + hidden(2) + who->name() +
         other(value);
}
#endif
