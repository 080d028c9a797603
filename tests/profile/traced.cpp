// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions in another order than the one they are called in, in sections of
// all the names that compilers give them. With -DOTHER it is another file,
// which has the same local name.
#define KEEP extern "C" __attribute__((noinline, used))

namespace {
__attribute__((noinline)) int local(int x) {
#ifdef OTHER
  return x * 5;
#else
  return x * 3;
#endif
}
} // namespace

#ifdef OTHER
int other(int x) { return local(x) + 1; }
#else
int other(int);
volatile int result;

namespace deep {
struct Class {
  template <typename T> __attribute__((noinline)) int work(T x) {
    return local(static_cast<int>(x)) + result;
  }
};
} // namespace deep

KEEP int odd(int x) __asm__("odd<int>,x");

KEEP int last(int x) { return x + result; }
KEEP int never(int x) { return x - result; }
KEEP __attribute__((cold)) int cold(int x) { return x * result; }
KEEP int odd(int x) { return x ^ result; }
KEEP __attribute__((hot)) int hot(int x) { return x + 2 * result; }
KEEP __attribute__((section(".text.startup.begin"))) int begin(int x) {
  return x & result;
}

int main() {
  result = begin(1);
  result = hot(2);
  result = cold(3);
  result = deep::Class().work(4L);
  result = odd(5);
  result = other(6);
  result = last(7);
  return 0;
}
#endif
