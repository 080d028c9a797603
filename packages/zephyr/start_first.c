/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The same where the kernel is measured: it runs before all of SYS_INIT. The
 * linker has --wrap=z_prep_c: start-up code in assembly calls this. RAM is not
 * initialised yet. On x86 z_prep_c has an argument.
 */
#include "bareprof.h"

void __real_z_prep_c(void *argument);
void __wrap_z_prep_c(void *argument);

void __wrap_z_prep_c(void *argument) {
  bareprof_init();
  __real_z_prep_c(argument);
}
