/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Firmware that serves requests, and does a part of its work after each few of
 * them: so the host's looks, and not the time, make it go on. Then it resets
 * the board. REST: it works once, then only rests. MUTE: it answers so many
 * requests. SENDS: no requests; it sends so many dumps at rest, and one more
 * after the next part.
 */
#include "bareprof_wire.h"
#include "board.h"
#include "parts.h"

enum { SERVES = 4 };

static const struct bareprof_sink uart = {to_uart, NULL};
static struct bareprof_wire wire = {.out = &uart,
                                    .options = BAREPROF_TEXT | BAREPROF_LEAN};

#ifdef SENDS
int main(void) {
  int error = 0;
  work(0);
  for (unsigned i = 0; i <= SENDS && !error; i++) {
    if (i == SENDS)
      work(1);
    error = bareprof_send(&uart, BAREPROF_TEXT | BAREPROF_LEAN);
  }
  return error;
}
#else
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
    ++served;
#ifdef MUTE
    while (served == MUTE) {
    }
#endif
#ifndef REST
    unsigned part = served / SERVES - 1;
    if (served % SERVES)
      continue;
    if (part == WORK_PARTS)
      board_reset();
    work(part);
#endif
  }
}
#endif
