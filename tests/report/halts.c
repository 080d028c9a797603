/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions with stack frames of several kinds, whose callers a table in
 * active.sh has. The stack is read at each of their instructions. Frames: none;
 * saved registers only; a large one; one of variable size; one that a jump
 * leaves; and one of a function that never returns, whose callees leave wrong
 * return addresses in the link register.
 */
#include "board.h"

#define NEVER __attribute__((noinline))
static volatile int seen;
static volatile int zero;

NEVER static int leaf(int x) { return x + seen; }

NEVER static int saving(int x) {
  seen += leaf(x);
  return seen + leaf(x);
}

/* Its frame and the frame of saving have the same size. */
NEVER static int pointed(int x, int *to) {
  *to = saving(x) + x;
  return x;
}

static int (*volatile through)(int, int *) = pointed;

NEVER static int large(int x) {
  volatile int room[200];
  room[x & 7] = x;
  int a = x * 3, b = x * 5, c = x * 7, d = x * 9, e = x * 11, f = x * 13;
  int y = through(x, (int *)&room[3]);
  seen += a;
  y += leaf(b);
  seen += c;
  y += leaf(f);
  return y + a + b + c + d + e + f + room[x & 3];
}

NEVER static int jumping(int x) {
  seen++;
  leaf(1);
  return large(x + 1);
}

NEVER static int varying(int n) {
  int list[n + 2];
  for (int i = 0; i < n; i++)
    list[i] = leaf(i);
  list[n] = jumping(n);
  return seen + list[n] + list[0];
}

__attribute__((noreturn)) NEVER static void staying(int x) {
  through(x, (int *)&seen);
  leaf(x);
  while (x != 99999999) {
    seen++;
    if (zero)
      board_exit(0);
    zero = 1;
    through(2, (int *)&seen);
  }
  board_exit(1);
}

int main(void) {
  seen += varying(3);
  staying(2);
}
