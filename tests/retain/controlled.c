/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counted code of before.c: healthy code, and code that runs before resets.
 */
#include "controlled.h"

static volatile int speed;

static void limit(void) {
  if (speed > 100)
    speed = 100;
}

void control(int wanted) {
  if (wanted < 0) {
    speed = 0;
    return;
  }
  speed = wanted;
  limit();
}

void drift(void) {
  speed += 7;
  __builtin_trap();
}

void stall(void) { speed = -1; }
