/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The user's own code of README's example: a UART, here a file on the host.
 */
#include "../target/counts.h"
#include "bareprof.h"
#include "bareprof_semihosting.h"

int dump_profile(void);
void uart_send(unsigned char byte);

static struct bareprof_semihosting file;

void uart_send(unsigned char byte) {
  bareprof_semihosting_write(&file, &byte, 1);
}

int main(void) {
  if (bareprof_semihosting_open(&file, "uart.bin"))
    return 1;
  bareprof_init();
  counts_run();
  int error = dump_profile();
  return bareprof_semihosting_close(&file) || error;
}
