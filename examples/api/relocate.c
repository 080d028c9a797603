/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_options.h: counters in a RAM that start-up code switches on, such as
 * SDRAM.
 */
#include "bareprof_options.h"

void sdram_is_ready(void);
void sdram_is_ready(void) {
  if (bareprof_relocate_size() <= 0x4000) {
    if (bareprof_relocate((void *)0x60000000, 0x4000))
      bareprof_init();
  }
}
