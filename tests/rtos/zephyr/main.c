/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The application: initialisers of its own, and the thermostat.
 */
#include "thermostat.h"
#include <zephyr/kernel.h>

static int wanted;
static int set_wanted(void) {
  wanted = 20;
  return 0;
}
SYS_INIT(set_wanted, APPLICATION, 0);

int main(void) {
  static const int degrees[] = {21, 19, 17, 18, 20, 22, 21, 19};
  struct thermostat thermostat = {.wanted = wanted};
  for (unsigned i = 0; i < sizeof degrees / sizeof *degrees; i++)
    printk("%s\n",
           thermostat_step(&thermostat, degrees[i]) ? "heating" : "off");
  return 0;
}
