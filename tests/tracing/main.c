/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Not measured.
 */
#include "board.h"
#include "measured.h"
#include "twin.h"

static int no(int x) { return x > 1; }

int main(void) {
  asked = no;
  unsigned sum = decisions() + classes();
  for (int i = 0; i < 8; i++)
    sum += (unsigned)asks(i & 1, i, i & 4);
  board_put_number(sum);
  board_putc('\n');
  return save();
}
