/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_options.h: exact counts above 2^32 with 32-bit counters.
 */
#include "bareprof_options.h"

void tick(void);
void tick(void) { /* a timer's interrupt, or a task */
  bareprof_fold();
}
