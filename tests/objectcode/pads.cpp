/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Landing pads of C++, entered by libgcc's unwinder: destructors, and handlers
 * that follow a branch. There is no library of C++: its few functions are here,
 * and the personality of C, which enters each pad.
 */
extern "C" {
struct unwinding {
  unsigned word[22];
};
static unwinding thrown __attribute__((aligned(8)));
int _Unwind_ForcedUnwind(unwinding *, int (*)(...), void *);
void _Unwind_Resume(unwinding *);
int __gcc_personality_v0(...);
int __gxx_personality_v0(...) __attribute__((alias("personality")));
__attribute__((naked, used)) int personality(...) {
  __asm__ volatile("b __gcc_personality_v0");
}
__attribute__((used)) unwinding *thrown_one() { return &thrown; }
__attribute__((naked)) void __cxa_end_cleanup() {
  __asm__ volatile("push {r1, r2, r3, r4}\n bl thrown_one\n"
                   "pop {r1, r2, r3, r4}\n b _Unwind_Resume");
}
void *__cxa_begin_catch(void *what) noexcept { return what; }
void __cxa_end_catch() {}
[[noreturn]] void abort() {
  for (;;) {
  }
}
}
namespace std {
[[noreturn]] void terminate() noexcept { abort(); }
}

static volatile unsigned sink;

static int go_on(...) { return 0; }

__attribute__((noinline)) static void throws(unsigned n) {
  if (n % 3 == 1) {
    thrown = unwinding();
    _Unwind_ForcedUnwind(&thrown, go_on, nullptr);
  }
  sink += n;
}

struct guard {
  unsigned n;
  __attribute__((noinline)) ~guard() {
    if (n & 4)
      sink++;
    else
      sink += 2;
  }
};

__attribute__((noinline)) static void guarded(unsigned n) {
  guard one = {n};
  if (n & 1)
    throws(n);
  else
    throws(n + 1);
  sink += 3;
}

__attribute__((noinline)) static unsigned catches(unsigned n) {
  try {
    if (n & 2)
      guarded(n);
    throws(n);
  } catch (...) {
    return n > 6 ? 1 : 2;
  }
  return n > 3 ? 3 : 4;
}

extern "C" int main() {
  for (unsigned i = 0; i < 12; i++)
    sink += catches(i);
  return 0;
}
