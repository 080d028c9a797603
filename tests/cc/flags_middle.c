/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes its profile at a place that its argument chooses, by number, and ends
 * there: in the middle of functions, of loops and conditions, after setjmp, in
 * functions that do not return.
 */
#include <setjmp.h>
#include <stdlib.h>

int __llvm_profile_write_file(void);
_Noreturn void _exit(int status);

static int chosen;
static jmp_buf back;

/* Calls of this are the places. */
static int here(int value) {
  if (--chosen)
    return value;
  __llvm_profile_write_file();
  _exit(0);
}

static int least(int a, int b) { return a < b ? a : b; }

static int straight(int a) {
  int sum = here(a);
  if (a > 2)
    sum += here(1);
  else
    sum -= 2;
  if (a & 1)
    sum = least(sum, 3);
  else
    sum = here(sum) + least(a, 4);
  return sum;
}

static int loops(int a) {
  int sum = 0;
  for (int i = 0; i < a; i++) {
    if (i == 2)
      continue;
    sum += i & 1 ? here(i) : 1;
    while (sum > 40 && here(1))
      sum -= 7;
  }
  do
    sum++;
  while (a-- > 0 || here(0));
  return sum;
}

static int chooses(int a, int b) {
  switch (a) {
  case 1:
    b = here(b);
    break;
  case 2:
  case 3:
    b++;
    /* fall through */
  case 4:
    return (a > 2 && here(b) > 1) || (b ? here(a) : a > 3);
  default:
    if (b < 0)
      return -1;
  }
  return here(b) + 1;
}

static _Noreturn void leaves(int a) {
  if (a > 1)
    longjmp(back, here(a));
  here(0);
  longjmp(back, 9);
}

static int jumps(int a) {
  volatile int turns = 0;
  int from = setjmp(back);
  turns++;
  if (from == 0)
    leaves(a);
  else if (turns < 3)
    leaves(a - 1);
  return here(turns);
}

static int waits(int a) {
  int sum = here(a);
  if (a > 5)
    for (;;)
      if (here(sum++) > 12)
        break;
  if (sum > 2 && a == 7) {
    for (;;)
      here(0);
  }
  return sum;
}

/* Nothing counts what is behind the first line. */
static int ends(int a) {
  return here(a);
  if (a > 2)
    a++;
  return a;
}

int main(int count, char **arguments) {
  int sum = 0;
  chosen = count > 1 ? atoi(arguments[1]) : 0;
  for (int i = 0; i < 6; i++) {
    sum += straight(i) + loops(i) + ends(i);
    sum += chooses(i, sum & 3);
    sum += jumps(i);
  }
  for (int i = 4; i < 8; i++)
    sum += waits(i);
  return sum & 1;
}
