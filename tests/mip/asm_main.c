/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A firmware for `bareprof mip instrument`: prints what work() returns, and
 * leaves the raw section in mip.mipraw.
 */
#include "bareprof_mip.h"
#include "bareprof_semihosting.h"
#include "board.h"

#include "asm_work.h"

#ifdef EDGES
BAREPROF_MIP_EDGES(128);
#endif

int main(void) {
#ifdef PLAIN
  board_put_number(work());
  board_puts("\n");
  return 0;
#else
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  bareprof_mip_init();
  board_put_number(work());
  board_puts("\n");
  if (bareprof_semihosting_open(&file, "mip.mipraw"))
    return 3;
  int error = bareprof_mip_write(&sink);
  return bareprof_semihosting_close(&file) || error ? 4 : 0;
#endif
}
