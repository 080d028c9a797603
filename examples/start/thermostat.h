/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef THERMOSTAT_H
#define THERMOSTAT_H

#include <stdbool.h>

struct thermostat {
  int wanted; /* degrees */
  bool heating, window_open;
};

/* Takes the temperature. Returns whether to heat. */
bool thermostat_step(struct thermostat *thermostat, int degrees);

/* A window's contact has changed. */
void thermostat_window(struct thermostat *thermostat, bool open);

#endif
