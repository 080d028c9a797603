/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instrumented code of dump.c: two sites of calls and one of sizes. What
 * is to be seen there after work() is what `run` looks for.
 */
#include <string.h>

#include "work.h"

static volatile int done;
static void one(void) { done += 1; }
static void two(void) { done += 2; }
static void three(void) { done += 3; }
void (*volatile targets[3])(void) = {one, two, three};

__attribute__((noinline)) static void call(unsigned which) { targets[which](); }

__attribute__((noinline)) static void call_twice(unsigned which) {
  targets[which]();
  targets[2 - which]();
}

__attribute__((noinline)) static void copy(unsigned size) {
  static char from[1024], to[1024];
  memcpy(to, from, size);
  done += to[0];
}

void work(void) {
  for (unsigned i = 0; i < 10; i++) {
    call(i < 5 ? 1 : i < 8 ? 0 : 2);
    copy(i < 7 ? 16 : i < 9 ? 100 : 1000);
  }
  call_twice(0);
}
