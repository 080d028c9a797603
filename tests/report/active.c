/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Dumps once, in the midst of calls, to each of which there is one way. A line
 * that is marked with //=N ran N times until then, by gcov; clang has another
 * number for //=N!. SEVERAL: there is another way.
 */
#include "bareprof_wire.h"
#include "board.h"
#include "uart_sink.h"

#define NEVER __attribute__((noinline))
static volatile int seen;

NEVER static int send(int which, int more) {
  const struct bareprof_sink uart = {to_uart, NULL};
  if (which < 30)
    return more;             //=4
  seen = bareprof_send(&uart,
                       BAREPROF_TEXT | BAREPROF_LEAN);
  board_exit(0);             //=0!
  seen += more;              //=0
  return seen;               //=0
}

/* In a branch, with a return after it. */
NEVER static int early(int which) {
  if (which >= 20) {         //=7
    seen += send(which,      //=5
                 which + 1); //=5
    seen++;                  //=4!
    return 2;                //=4!
  }
  seen++;                    //=2
  return 1;                  //=2
}

/* In a branch that goes on. */
NEVER static int joined(int which) {
  int count = 0;
  if (which % 10 == 2)       //=9
    count = 1;               //=2
  else if (which % 10 < 6)   //=7
    count = early(which);    //=7
  else
    count = 2;               //=0
  seen += count;             //=8!
  if (which == 3)            //=8!
    seen = 9;                //=0
  else
    seen = 8;                //=8!
  switch (which) {           //=8!
    case 4: seen++; break;   //=0
    default: seen--;         //=8
  }
  return count;              //=8
}

/* In an inner loop, with jumps out of both. */
NEVER static int loops(int which) {
  int count = 0;
  for (int i = 0;            //=3
       i < 4;                //=11
       i++) {                //=8!
    if (i == 9)              //=9
      continue;              //=0
    do {
      if (i == 3)            //=11
        break;               //=2
      if (which || i != 1)   //=9
        count += joined(which * 10 + i); //=9
      count++;               //=8!
    } while (count & 1);     //=8!
    if (count > 90)          //=8!
      break;                 //=0
    seen += count;           //=8!
  }
  while (count > 50)         //=2!
    count--;                 //=0
  return count;              //=2!
}

/* In a condition, and in a part of an expression. */
static int choose(int which) {
  int x = which > 0          //=4
    && loops(which)          //=3
    && seen                  //=2
    ? seen                   //=2!
    : -1                     //=1
    ;
  do
    x--;
  while (x > 90 && seen);    //=3!
  return x;                  //=3!
}

int main(void) {
  seen = 1;                  //=1
#ifdef SEVERAL
  early(0);
#endif
  if (seen)                  //=1
    for (int i = 0; i < 5;   //=4
         i++)                //=3!
      seen += choose(i);     //=4
  board_exit(0);             //=0
  return 0;                  //=0
}
