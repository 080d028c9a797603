/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_tiny.h: the smallest sender, such as for a boot loader.
 */
#include "bareprof_tiny.h"

#include "api.h"

static int put(void *context, unsigned char byte) {
  (void)context;
  uart_putc(byte);
  return 0;
}

void reset_handler_calls(void) {
  bareprof_tiny_init(); /* before any instrumented code */
}

/* With byte counters instead. */
void reset_with_flags(void) { bareprof_tiny_init_flags(); }

/* A program uses one of these senders. */
int dump_binary(void) { return bareprof_tiny_send(put, NULL); }
int dump_text(void) { return bareprof_tiny_send_text(put, NULL); }

/* Byte counters, of which the dump has one bit each. */
static void put_byte(unsigned char byte) { uart_putc(byte); }
void reset_with_bits(void) { bareprof_tiny_init_bits(); }
int dump_bits(void) { return bareprof_tiny_send_bits(put_byte); }
