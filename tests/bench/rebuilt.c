/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a workload ROUNDS times and prints what came of it and how many
 * instructions that took; sampled or counted, as measured.h says.
 */
#include "board.h"
#include "forms.h"
#include "measured.h"

static void print(const char *what, uint32_t number) {
  board_puts(what);
  board_put_number(number);
  board_puts("\n");
}

int main(void) {
  measured_begin();
  for (unsigned round = 0; round < ROUNDS; round++)
    work();
  uint32_t instructions = measured_end();
  print("result ", work_result());
  print("instructions ", instructions);
  return measured_save("fw.samples", "fw.profraw");
}
