/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A thermostat. A second thread goes on printing while the end of main sends
 * the profile over the same UART.
 */
#include <zephyr/kernel.h>

#include "thermostat.h"

int main(void) {
  static const int degrees[] = {21, 19, 17, 18, 20, 19, 21, 22};
  struct thermostat thermostat = {.wanted = 20};
  for (size_t i = 0; i < ARRAY_SIZE(degrees); i++) {
    bool heating = thermostat_step(&thermostat, degrees[i]);
    printk("%s at %d degrees\n", heating ? "heating" : "off", degrees[i]);
    k_msleep(10);
  }
  return 0;
}

static void beat(void *first, void *second, void *third) {
  for (int beats = 0;; beats++) {
    printk("beat %d\n", beats);
    k_msleep(1);
  }
}
K_THREAD_DEFINE(beat_thread, 1024, beat, NULL, NULL, NULL, -1, 0, 0);
