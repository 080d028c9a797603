/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Firmware that does not end, with counts that are hard to compress: serves the
 * host's requests. `reference` is the output of bareprof_mip_write.
 */
#include "target.h"

#include "bareprof_wire.h"
#include "bareprof_semihosting.h"
#include "board.h"
#include "../uart_sink.h"

BAREPROF_MIP_ROOM(ROOM);
BAREPROF_MIP_EDGES(8);

/* As if other code of the program counted with 32 bits: dumps have the flag. */
__asm__(".global bareprof_counters_32\n.set bareprof_counters_32, 64");

static const struct bareprof_sink uart = {to_uart, NULL};
static struct bareprof_wire wire = {
    .image = &bareprof_mip_image, .out = &uart, .options = BAREPROF_MIP};

static int write_reference(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  if (bareprof_semihosting_open(&file, "reference"))
    return 1;
  int error = bareprof_mip_write(&sink);
  return error ? error : bareprof_semihosting_close(&file);
}

int main(void) {
  bareprof_mip_init();
  for (unsigned i = 0; i < ROOM; i += 4)
    *raw_words(i) = (i + 1) * 2654435761u;
  call_1();
  call_3();
  if (write_reference())
    return 1;
  board_puts("ready\r\n");
  for (;;) {
    int byte = board_getc();
    if (byte >= 0 && bareprof_wire_feed(&wire, (uint8_t)byte))
      bareprof_wire_serve(&wire);
  }
}
