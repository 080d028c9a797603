/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The profile is written when the program ends, after the functions given to
 * atexit, whose counts belong in it.
 */
#include "bareprof.h"
#include "bareprof_semihosting.h"
#include "board.h"
#include "counts.h"

static struct bareprof_semihosting file;
static const struct bareprof_sink sink = {bareprof_semihosting_write, &file};

int main(void) {
  if (bareprof_semihosting_open(&file, "counts.profraw"))
    return 1;
  bareprof_write_at_exit(&sink);
  return atexit(counts_run);
}
