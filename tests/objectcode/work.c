/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Does the work of a file of tests/bench/loads, on a board and on the host.
 */
#ifndef TIMES
#define TIMES 1
#endif
#ifdef HOST
#include <stdlib.h>
void board_exit(int status) { exit(status); }
#endif

unsigned work(void);

int main(void) {
  for (unsigned i = 0; i < TIMES; i++)
    work();
  return 0;
}
