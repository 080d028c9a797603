/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For demo-trace, in the place of bareprof's archive: a trace counts, so the
 * firmware has nothing to write.
 */
#include "bareprof.h"

int bareprof_write(const struct bareprof_sink *sink) {
  (void)sink;
  return 0;
}
