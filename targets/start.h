/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What arch/, uart/ and start.c need of each other. Programs use board.h.
 */
#ifndef START_H
#define START_H

#include <stdint.h>

/* start.c. The entry code of an architecture calls prepare, then run, with
 * a stack and a usable FPU; constructors run in prepare, main in run. */
void board_prepare(void);
__attribute__((noreturn)) void board_run(void);

/* uart/: what must be set up before the first board_putc. */
void board_uart_init(void);

/* sections.ld. */
extern unsigned char data_start[], data_end[], data_load[];
extern unsigned char bss_start[], bss_end[], stack_top[];

#endif
