/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends a dump when main returns. With --wrap=main, the kernel calls
 * __wrap_main.
 */
#include <zephyr/sys/printk.h>

#include "bareprof_zephyr.h"

int __real_main(void);
int __wrap_main(void);

int __wrap_main(void) {
  int status = __real_main();
  int error = bareprof_zephyr_dump();
  if (error)
    printk("bareprof: no profile, %s\n", bareprof_error_name(error));
  return status;
}
