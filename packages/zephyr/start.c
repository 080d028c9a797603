/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Initialises the counters before drivers and the application run.
 */
#include <zephyr/init.h>

#include "bareprof.h"

static int start(void) {
  bareprof_init();
  return 0;
}
SYS_INIT(start, EARLY, 0);
