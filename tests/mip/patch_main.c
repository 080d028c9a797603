/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A firmware for `bareprof mip patch`: prints what work() returns, and leaves
 * the raw section, and edges, in mip.mipraw.
 */
#include "bareprof_mip.h"
#include "bareprof_semihosting.h"
#include "board.h"
#include "patch_work.h"

BAREPROF_MIP_ROOM(ROOM);
BAREPROF_MIP_EDGES(64);

int main(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  bareprof_mip_init();
  board_put_number(work());
  board_puts("\n");
  if (bareprof_semihosting_open(&file, "mip.mipraw"))
    return 3;
  int error = bareprof_mip_write(&sink);
  return bareprof_semihosting_close(&file) || error ? 4 : 0;
}
