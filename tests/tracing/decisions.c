/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decisions within decisions, in recursion, in loops, in both arms of others,
 * inlined at several places; increments that clang makes without a jump.
 */
#include "measured.h"

int (*asked)(int);

int asks(int a, int b, int c) {
  if ((a && asked(b)) || c)
    return 1;
  return 0;
}

int asks_again(int a, int b, int c) {
  if ((a && asked(b)) || c)
    return 1;
  return 0;
}

static int odd(int x) { return x & 1; }

/* Its own decision runs within that of its caller. */
static int sorts(int a, int b, int c) {
  return (a < b && b < c) || (a == b && c > 3);
}

static int within(int a, int b, int c) {
  if (sorts(a, b, c) && (sorts(b, c, a) || !sorts(c, a, b)) && a != 5)
    return a > 2 || b > 2 ? 3 : 2;
  return 0;
}

static int climbs(int depth, int turns) {
  if (depth > 0 && (climbs(depth - 1, turns / 2) || odd(turns)))
    return odd(depth) && turns > 1;
  return turns > 5;
}

static inline int small(int a, int b, int c) { return a && b && c; }

static int inlined(int x) {
  return small(x & 1, x & 2, x & 4) + small(x & 8, x & 16, x & 32) +
         (small(x, x & 2, x & 8) && small(x & 4, x & 16, x));
}

static int words(const char *text) {
  int count = 0, inside = 0;
  for (; *text && *text != '!'; text++) {
    int letter = (*text >= 'a' && *text <= 'z') ||
                 (*text >= 'A' && *text <= 'Z') || *text == '_';
    count += letter && !inside;
    inside = letter;
  }
  return count;
}

static int chooses(int a, int b, int c) {
  int largest = a > b ? a : b;
  int sign = c < 0 ? -1 : c > 0;
  return (a && b ? c : a) > 1 && (c || b) ? largest : sign;
}

static int falls(int kind, int more) {
  int sum = 0;
  switch (kind) {
  case 0:
    sum++;
    /* fallthrough */
  case 1:
    sum += more > 2 && !(kind && more > 4);
    break;
  case 5:
    return -1;
  default:
    do
      sum += more--;
    while (more > 0 && (sum < 9 || more > 5));
  }
  return sum;
}

static int six(int x) {
  return (x & 1) && (x & 2) && ((x & 4) || (x & 8)) && ((x & 16) || (x & 32));
}

/* The loop in the assembly begins where the arm of the decision does. */
static int loops(int turns) {
  if (turns > 2 && turns < 9) {
#if defined __arm__
    __asm__ volatile("1: subs %0, %0, #1\n\tbne 1b" : "+l"(turns) : : "cc");
#elif defined __aarch64__
    __asm__ volatile("1: subs %w0, %w0, #1\n\tb.ne 1b"
                     : "+r"(turns)
                     :
                     : "cc");
#elif defined __riscv
    __asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(turns));
#endif
  }
  return turns;
}

/* The decision is left within. */
static int leaves(int a, int b) {
  if (a > 1 && ({
        if (b > 5)
          return 7;
        b > a;
      }))
    return 2;
  return a && b;
}

static __attribute__((noinline)) int digit(int x) { return x > 6 ? -1 : x; }

/* The decision is left within, and the caller's goes on. */
static __attribute__((noinline)) int parses(int x, int deep) {
  if ((x == 7 || deep > 0) && ({
        int taken = digit(x);
        if (taken < 0)
          return taken;
        taken;
      }) >= 0 &&
      parses(x + 1, deep - 1) < 5)
    return 2;
  return 0;
}

static volatile int picked;

/* clang adds to the choice between the arms as if it were a decision, and never
 * begins it. It calls itself within another one. */
static __attribute__((noinline)) int picks(int n, int a, int b) {
  int sum = 0;
  if (n == 0)
    sum = (a ? b && n < 9 : b || n) ? picked++ : picked--;
  else if ((n > 1 || b) && n > 0 && picks(n - 1, a, b) < 99)
    sum++;
  return sum;
}

/* Its end never runs. No counter says so: those before it do. */
__attribute__((noinline)) int always(int x) {
  if (asked(x) < 99)
    return 1;
  return 0;
}

/* Nothing calls it. */
int dead(int a, int b) { return a && b; }

unsigned decisions(void) {
  unsigned sum = 1;
  for (int i = 0; i < 64; i++) {
    sum = sum * 31 + (unsigned)within(i & 7, i * 5 >> 1 & 7, i * 3 >> 2 & 7);
    sum = sum * 31 + (unsigned)inlined(i * 11);
    sum = sum * 31 + (unsigned)chooses((i & 3) - 1, i >> 2 & 3, (i & 7) - 2);
    sum = sum * 31 + (unsigned)falls(i * 3 & 7, i & 15);
    sum = sum * 31 + (unsigned)six(i * 3) + (unsigned)loops(i & 15);
    for (int k = 0; k < 200; k++)
      sum += (unsigned)leaves(i & 3, k & 7);
    sum = sum * 31 + (unsigned)parses(i & 15, 3) + (unsigned)always(i);
    sum = sum * 31 + (unsigned)picks(i & 3, i >> 2 & 1, i >> 3 & 1);
    if ((i & 7) == 0)
      sum = sum * 31 + (unsigned)climbs(i >> 3, i);
  }
  return sum * 31 + (unsigned)words("some words, and_more of Them! not these");
}
