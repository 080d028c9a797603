/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plant.h"

#include <stdio.h>

static int clamp(int value, int low, int high) {
  if (value < low)
    return low;
  return value > high ? high : value;
}

int run_tank(const char *events) {
  int level = 40, heat = 20, pressure = 1, alarms = 0;
  int pump = 0, valve = 0;
  for (; *events; events++) {
    if (*events == 'p')
      pump = !pump;
    else if (*events == 'v')
      valve = !valve;
    else if (*events == 'h')
      heat += 15;
    else if (*events != '.') {
      puts("no such event");
      return 1;
    }
    level += pump ? 12 : 0;
    level -= valve ? 7 : 0;
    level = clamp(level, 0, 100);
    heat = clamp(heat - 1, 20, 120);
    pressure = 1 + heat / 20 + level / 25;
    if (level > limits[LIMIT_LEVEL] || heat > heats[valve] ||
        pressure > limits[LIMIT_PRESSURE]) {
      alarms++;
      pump = 0;
    }
  }
  printf("level %d heat %d pressure %d alarms %d\n", level, heat, pressure,
         alarms);
  return alarms != 0;
}
