/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The board's functions that these examples call.
 */
#ifndef API_H
#define API_H

#include <stddef.h>
#include <stdint.h>

#include "bareprof.h"

/* Sends a byte over the UART; returns the byte received, or -1 if none is
 * there. */
void uart_putc(unsigned char byte);
int uart_getc(void);

/* A sink that writes to this UART. */
extern const struct bareprof_sink uart;

void my_timer_clear_and_set(uint32_t ticks);
void log_text(const char *text);
void test_parser(void);

#endif
