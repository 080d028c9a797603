/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plant.h"

#include <stdio.h>

enum { RED, RED_YELLOW, GREEN, YELLOW, STATES };

static const struct {
  const char *name;
  int ticks;
  int next;
} states[STATES] = {
    {"red", 4, RED_YELLOW},
    {"red and yellow", 1, GREEN},
    {"green", 3, YELLOW},
    {"yellow", 2, RED},
};

int run_traffic(const char *events) {
  int state = RED, left = states[RED].ticks, walks = 0, faults = 0;
  for (; *events; events++) {
    switch (*events) {
    case 't':
      if (--left > 0)
        break;
      state = states[state].next;
      left = states[state].ticks;
      if (state == RED && walks) {
        left += 2;
        walks = 0;
      }
      break;
    case 'w':
      walks++;
      if (state == GREEN)
        left = 1;
      break;
    case 'f':
      faults++;
      state = YELLOW;
      left = states[YELLOW].ticks;
      break;
    default:
      printf("no event %c\n", *events);
      return 1;
    }
  }
  printf("%s for %d, %d walk, %d faults\n", states[state].name, left, walks,
         faults);
  return faults > 1;
}
