/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Initialises the counters, as start.c does, if the kernel is measured: its
 * code runs before all of SYS_INIT. With --wrap=z_prep_c, start-up code in
 * assembly calls __wrap_z_prep_c, when RAM is not initialised yet. On x86
 * z_prep_c has an argument.
 */
#include "bareprof.h"

void __real_z_prep_c(void *argument);
void __wrap_z_prep_c(void *argument);

void __wrap_z_prep_c(void *argument) {
  bareprof_init();
  __real_z_prep_c(argument);
}
