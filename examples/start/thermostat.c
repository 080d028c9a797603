/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The measured code: compiled with the coverage flags.
 */
#include "thermostat.h"

enum { FROST = 5 };

bool thermostat_step(struct thermostat *thermostat, int degrees) {
  int wanted = thermostat->wanted;
  if (degrees < FROST || (degrees < wanted - 1 && !thermostat->window_open))
    thermostat->heating = true;
  else if (degrees > wanted || thermostat->window_open)
    thermostat->heating = false;
  return thermostat->heating;
}

void thermostat_window(struct thermostat *thermostat, bool open) {
  thermostat->window_open = open;
}
