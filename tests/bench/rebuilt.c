/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a workload ROUNDS times and prints what came of it and how many
 * instructions that took; sampled or counted, as measured.h says. With LEAN,
 * for counters of 4 bytes, a lean dump takes the place of the profile.
 */
#ifdef LEAN
#include "bareprof_semihosting.h"
#include "bareprof_wire.h"
#endif
#include "board.h"
#include "forms.h"
#include "measured.h"

static void print(const char *what, uint32_t number) {
  board_puts(what);
  board_put_number(number);
  board_puts("\n");
}

#ifdef LEAN
static int save(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  if (bareprof_semihosting_open(&file, "fw.frames"))
    return 1;
  int error = bareprof_send(&sink, BAREPROF_BINARY | BAREPROF_LEAN);
  return bareprof_semihosting_close(&file) | error;
}
#else
static int save(void) { return measured_save("fw.samples", "fw.profraw"); }
#endif

int main(void) {
  measured_begin();
  for (unsigned round = 0; round < ROUNDS; round++)
    work();
  uint32_t instructions = measured_end();
  print("result ", work_result());
  print("instructions ", instructions);
  return save();
}
