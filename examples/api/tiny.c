/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_tiny.h: the smallest sender, such as for a bootloader.
 */
#include "bareprof_tiny.h"

#include "api.h"

static int put(void *context, unsigned char byte) {
  (void)context;
  uart_putc(byte);
  return 0;
}

void reset_handler_calls(void) {
  bareprof_tiny_init(); /* first thing, before instrumented code */
}

/* A program links one of these. */
int dump_binary(void) { return bareprof_tiny_send(put, NULL); }
int dump_text(void) { return bareprof_tiny_send_text(put, NULL); }

/* Counters of 4 bytes. */
int dump_packed(void) { return bareprof_tiny_send_packed(put, NULL); }
int dump_text_packed(void) { return bareprof_tiny_send_text_packed(put, NULL); }

/* Flags. */
void reset_with_flags(void) { bareprof_tiny_init_flags(); }
int dump_flags(void) { return bareprof_tiny_send_flags(put, NULL); }
int dump_text_flags(void) { return bareprof_tiny_send_text_flags(put, NULL); }

/* Flags as bits. */
static void put_byte(unsigned char byte) { uart_putc(byte); }
void reset_with_bits(void) { bareprof_tiny_init_bits(); }
int dump_bits(void) { return bareprof_tiny_send_bits(put_byte); }
