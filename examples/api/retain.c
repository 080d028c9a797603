/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_retain.h: counts that survive a reset. Link with -u
 * bareprof_retained.
 */
#include "bareprof_retain.h"

#include "api.h"

/* Dumps what the start before has counted, if it is there. */
int dump_earlier(void) {
  int kept = bareprof_retained();
  if (!kept)
    return 0;
  int error = bareprof_write(&uart);
  bareprof_retain_forget(); /* The next start begins at 0. */
  return error;
}
