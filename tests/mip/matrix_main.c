/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A firmware for all rows of the matrix: prints what the store's workload and
 * that of asm_work.c return, and leaves the raw section in mip.mipraw. PLAIN
 * does not use MIP; with ROOM it is for `bareprof mip patch`.
 */
#include "bareprof_mip.h"
#include "bareprof_semihosting.h"
#include "board.h"
#include "store.h"

#ifdef ROOM
BAREPROF_MIP_ROOM(ROOM);
#endif
#ifdef EDGES
BAREPROF_MIP_EDGES(EDGES);
#endif

/* asm_work.c, whose work() has this name here; and what it calls. */
uint32_t others(void);
uint32_t plus(uint32_t value);
uint32_t plus(uint32_t value) { return value ^ 1; }

static void compute(void) {
  board_put_number(work());
  board_putc(' ');
  board_put_number(others());
  board_putc('\n');
}

#ifdef PLAIN
int main(void) {
  compute();
  return 0;
}
#else
int main(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  bareprof_mip_init();
  compute();
  if (bareprof_semihosting_open(&file, "mip.mipraw"))
    return 3;
  int error = bareprof_mip_write(&sink);
  return bareprof_semihosting_close(&file) || error ? 4 : 0;
}
#endif
