/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The firmware: runs the logger, prints the results and the number of
 * instructions. measured.h lists its builds, which write logger.samples or
 * logger.profraw.
 */
#include "board.h"
#include "logger.h"
#include "measured.h"

enum { ROUNDS = 128 };

static void print(const char *what, uint32_t number) {
  board_puts(what);
  board_put_number(number);
}

int main(void) {
  measured_begin();
  struct logger_result result = logger_run(ROUNDS);
  uint32_t instructions = measured_end();

  print("telegrams ", result.telegrams);
  print(", records ", result.records);
  print(", errors ", result.errors);
  print(", checksum ", result.checksum);
  print("\ninstructions ", instructions);
  board_puts("\n");
  if (result.errors != ROUNDS / 16) {
    board_puts("wrong result\n");
    return 1;
  }
  return measured_save("logger.samples", "logger.profraw");
}
