/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A firmware for `bareprof mip patch` that makes no room by itself, unless
 * ROOM is the line to do so: leaves the raw section in mip.mipraw.
 */
#include "bareprof_mip.h"
#include "bareprof_semihosting.h"
#include "patch_work.h"

#ifdef ROOM
ROOM
#endif

int main(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  bareprof_mip_init();
  (void)work();
  if (bareprof_semihosting_open(&file, "mip.mipraw"))
    return 3;
  int error = bareprof_mip_write(&sink);
  return bareprof_semihosting_close(&file) || error ? 4 : 0;
}
