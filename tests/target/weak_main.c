/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The firmware of weak.sh: a profile of weak.c, into the file weak.profraw.
 */
#include "bareprof.h"
#include "bareprof_semihosting.h"

int work(void);

int main(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  work();
  if (bareprof_semihosting_open(&file, "weak.profraw"))
    return 1;
  int error = bareprof_write(&sink);
  bareprof_semihosting_close(&file);
  return -error;
}
