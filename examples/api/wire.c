/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_wire.h: dumps that survive a shared console.
 */
#include "bareprof_wire.h"

#include "api.h"

/* Sends only the counters, as text: the host takes the rest from the ELF. */
int dump(void) { return bareprof_send(&uart, BAREPROF_TEXT | BAREPROF_LEAN); }

/* Links only one encoding and one kind of dump, to save code. */
int dump_small(void) {
  return bareprof_send_lean(&bareprof_running, &uart, 0, bareprof_binary);
}
int dump_full(void) {
  return bareprof_send_full(&bareprof_running, &uart, 0, bareprof_text);
}

/* A boot loader sends its application's counters, as image number 1. */
int dump_application(const struct bareprof_image *application) {
  return bareprof_send_image(application, &uart,
                             BAREPROF_TEXT | BAREPROF_IMAGE(1));
}

/* Sends the name of the next dump, for bareprof report --tests. */
int dump_named(void) {
  test_parser();
  bareprof_send_name(&uart, BAREPROF_TEXT, "test_parser");
  return bareprof_send(&uart, BAREPROF_TEXT | BAREPROF_LEAN);
}
int name_small(const char *name, bareprof_encoding *encoding) {
  return bareprof_send_name_as(&uart, 0, name, encoding);
}

/* Dumps on request: bareprof receive --request. */
void poll_requests(void) {
  int byte;
  static struct bareprof_wire wire =
      BAREPROF_WIRE_INIT(NULL, &uart, BAREPROF_LEAN);

  while ((byte = uart_getc()) >= 0)
    if (bareprof_wire_feed(&wire, (uint8_t)byte))
      bareprof_wire_serve(&wire);
}
