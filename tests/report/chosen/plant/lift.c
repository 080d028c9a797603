/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plant.h"

#include <stdio.h>

enum { FLOORS = 8 };

/* Seconds from one floor to the next. */
static const int seconds[FLOORS - 1] = {
    5, 3, 3, 3,
    3, 3, 4,
};
static const int doors = 6;

static int travel(int from, int to) {
  int time = 0;
  while (from < to)
    time += seconds[from++];
  while (from > to)
    time += seconds[--from];
  return time;
}

int run_lift(const char *events) {
  int floor = 0, time = 0, stops = 0, ups = 0;
  for (; *events; events++) {
    int target = *events - '0';
    if (target < 0 || target >= FLOORS) {
      printf("no floor %c\n", *events);
      return 1;
    }
    if (target == floor)
      continue;
    if (target > floor)
      ups++;
    time += travel(floor, target) + doors;
    floor = target;
    stops++;
  }
  printf("floor %d, %d stops, %d up, %d s\n", floor, stops, ups, time);
  return 0;
}
