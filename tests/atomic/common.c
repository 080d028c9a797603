/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of the test programs, not instrumented: calls of the counted
 * function, numbers on the serial port, a profile.
 */
#include "common.h"

#include "bareprof_semihosting.h"
#include "bareprof_wire.h"
#include "board.h"

void count_calls(volatile unsigned *calls, unsigned many) {
  while (*calls != many) {
    shared();
    *calls = *calls + 1;
    /* 0 to 15, without a period that a timer could fall in with. */
    for (unsigned i = *calls * 2654435761u >> 28; i; i--)
      __asm__ volatile("");
  }
}

void print_result(const char *name, uint64_t first, uint64_t second) {
  board_puts(name);
  board_putc(' ');
  board_put_number(first);
  board_putc(' ');
  board_put_number(second);
  board_putc('\n');
}

int write_profile(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
#ifdef LEAN
  if (bareprof_semihosting_open(&file, "counts.frames"))
    return 1;
  int error = bareprof_send(&sink, BAREPROF_BINARY | BAREPROF_LEAN);
#else
  if (bareprof_semihosting_open(&file, "counts.profraw"))
    return 1;
  int error = bareprof_write(&sink);
#endif
  return error ? error : bareprof_semihosting_close(&file);
}
