/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_mip.h: which functions ran. Patched or rewritten code calls the
 * other functions of this header.
 */
#include "bareprof_mip.h"

#include "api.h"
#include "bareprof_wire.h"

BAREPROF_MIP_ROOM(8 * 500);

void reset_handler_calls(void) { bareprof_mip_init(); }

int write_functions(void) {
  log_text(bareprof_mip_size() > 4000 ? "large" : "small");
  int error = bareprof_mip_write(&uart);
  bareprof_mip_reset();
  return error;
}

int send_functions(void) { return bareprof_mip_send(&uart, BAREPROF_TEXT); }

/* Sends MIP profiles on request, next to the requests for counters. */
void poll_requests(void) {
  int byte;
  static struct bareprof_wire wire =
      BAREPROF_WIRE_INIT(&bareprof_mip_image, &uart, BAREPROF_MIP);
  while ((byte = uart_getc()) >= 0)
    if (bareprof_wire_feed(&wire, (uint8_t)byte))
      bareprof_wire_serve(&wire);
}
