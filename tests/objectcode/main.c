/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A switch by a table, a choice without a branch, a loop, a call by a pointer,
 * a
 * jump out of a call, recursion.
 */
#ifndef ADDED
#define ADDED 11
#endif

static volatile unsigned sink;
#ifdef LEAVES
static void *place[5];
#endif

__attribute__((noinline)) static unsigned pick(unsigned n) {
  switch (n) {
  case 0:
    sink++;
    return 7;
  case 1:
    return sink + ADDED;
  case 2:
    sink += 3;
    return 5 * n + 1;
  case 3:
    return n ^ 0x12345678;
  case 4:
    sink--;
    return n << 3;
  default:
    return 0;
  }
}

__attribute__((noinline)) static unsigned least(unsigned a, unsigned b) {
  return a < b ? a : b;
}

__attribute__((noinline)) static unsigned deep(unsigned n) {
  return n < 2 ? n : deep(n - 1) + deep(n - 2);
}

__attribute__((noinline)) static void leave(unsigned n) {
#ifdef LEAVES
  if (n % 3 == 1)
    __builtin_longjmp(place, 1);
#endif
  sink += n;
}

__attribute__((noinline)) static void try(unsigned n) {
#ifdef LEAVES
  if (__builtin_setjmp(place)) {
    sink += 100;
    return;
  }
#endif
  leave(n);
}

static unsigned (*volatile call)(unsigned) = pick;

int main(void) {
  for (unsigned i = 0; i < 9; i++) {
    if (i & 1)
      sink += call(i);
    else if (i == 100)
      sink = 0;
    sink += least(i, 4);
  }
  for (unsigned i = 0; i < 7; i++)
    try(i);
  sink += deep(9);
  return 0;
}
