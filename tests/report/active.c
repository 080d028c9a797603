/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Dumps once, in the midst of calls, to each of which there is one way. A line
 * that is marked with //=N ran N times until then, by gcov; clang has another
 * number for //=N!. SEVERAL: there is another way. WRITES: the dump is a raw
 * profile in a file. RESETS: the counters may be reset. A count with ? is not
 * known if the calls may have returned, as it is not above the call's.
 */
#include "bareprof_wire.h"
#include "bareprof_semihosting.h"
#include "board.h"
#include "uart_sink.h"

#ifdef WRITES
#define DUMP(sink) bareprof_write(sink)
#else
#define DUMP(sink) bareprof_send(sink, BAREPROF_TEXT | BAREPROF_LEAN)
#endif
#define NEVER __attribute__((noinline))
static volatile int seen;

NEVER static int send(int which, int more) {
#ifdef WRITES
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  bareprof_semihosting_open(&file, "fw.profraw");
#else
  const struct bareprof_sink sink = {to_uart, NULL};
#endif
  if (which < 30)
    return more;             //=4
#ifdef RESETS
  if (seen == 99)
    bareprof_reset();
#endif
  seen = DUMP(&sink);        //=1
  board_exit(0);             //=0!?
  seen += more;              //=0
  return seen;               //=0
}

/* In a branch, with a return after it. */
NEVER static int early(int which) {
  if (which >= 20) {         //=7
    seen += send(which,      //=5
                 which + 1); //=5
    seen++;                  //=4!?
    return 2;                //=4!?
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
       i++) {                //=8!?
    if (i == 9)              //=9
      continue;              //=0
    do {
      if (i == 3)            //=11
        break;               //=2
      if (which || i != 1)   //=9
        count += joined(which * 10 + i); //=9
      count++;               //=8!?
    } while (count & 1);     //=8!?
    if (count > 90)          //=8!?
      break;                 //=0
    seen += count;           //=8!?
  }
  while (count > 50)         //=2!?
    count--;                 //=0
  return count;              //=2!?
}

/* In a condition, and in a part of an expression. */
static int choose(int which) {
  int x = which > 0          //=4
    && loops(which)          //=3
    && seen                  //=2
    ? seen                   //=2!
    : -1                     //=1?
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
         i++)                //=3!?
      seen += choose(i);     //=4
  board_exit(0);             //=0?
  return 0;                  //=0
}
