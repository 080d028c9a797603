/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Firmware that serves requests, and does a part of its work after each few of
 * them: so the host's looks, and not the time, make it go on. Then it resets
 * the board. REST: it works once, then only rests.
 */
#include "bareprof_wire.h"
#include "board.h"
#include "parts.h"

enum { SERVES = 4 };

static const struct bareprof_sink uart = {to_uart, NULL};
static struct bareprof_wire wire = {.out = &uart,
                                    .options = BAREPROF_TEXT | BAREPROF_LEAN};

int main(void) {
#ifdef REST
  work(0);
#endif
  keep_qemu_awake();
  board_puts("ready\r\n");
  for (unsigned served = 0;;) {
    int byte = board_getc();
    if (byte < 0 || !bareprof_wire_feed(&wire, (uint8_t)byte))
      continue;
    bareprof_wire_serve(&wire);
#ifndef REST
    unsigned part = ++served / SERVES - 1;
    if (served % SERVES)
      continue;
    if (part == WORK_PARTS)
      board_reset();
    work(part);
#endif
  }
}
