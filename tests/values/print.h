/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a program says on the board's console: a name and a number, a line
 * each.
 */
#ifndef PRINT_H
#define PRINT_H

#include "board.h"

static inline void print(const char *name, uint64_t number) {
  board_puts(name);
  board_putc(' ');
  board_put_number(number);
  board_putc('\n');
}

#endif
