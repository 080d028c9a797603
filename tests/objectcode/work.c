/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Does the work of a file of tests/bench/loads, on a board and on the host.
 */
#ifdef HOST
#include <stdlib.h>
void board_exit(int status) { exit(status); }
#endif

unsigned work(void);

int main(void) {
  work();
  return 0;
}
