/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declarations that arch/, uart/ and start.c share. Programs use board.h.
 */
#ifndef START_H
#define START_H

#include <stdint.h>

/* The entry code of an architecture (arch/) calls board_prepare, then
 * board_run, with a stack and a usable FPU. board_prepare runs constructors,
 * board_run runs main. start.c defines both. */
void board_prepare(void);
__attribute__((noreturn)) void board_run(void);

/* Sets up the serial port, before the first board_putc. A file in uart/ defines
 * this function. */
void board_uart_init(void);

/* Symbols of sections.ld. */
extern unsigned char data_start[], data_end[], data_load[];
extern unsigned char bss_start[], bss_end[], stack_top[];

#endif
