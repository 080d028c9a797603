/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A bootloader and, with APPLICATION, what it starts: two images with
 * functions of the same names and the same shape, of which other ones run.
 * Compiled from copies with names of their own, as two programs have. SLOWER:
 * of one function there is another form.
 */
#include "bareprof_wire.h"
#include "board.h"

#ifdef APPLICATION
enum { NUMBER = 1 };
#else
enum { NUMBER = 0 };
#endif

void only_in_bootloader(void);
void only_in_application(void);

#ifdef SLOWER
void only_in_bootloader(void) {
  for (int i = 0; i < 2; i++)
    board_puts("loading\r\n");
}
#else
void only_in_bootloader(void) { board_puts("loading\r\n"); }
#endif
void only_in_application(void) { board_puts("working\r\n"); }

__attribute__((no_profile_instrument_function)) static int
to_uart(void *context, const void *bytes, size_t size) {
  const char *next = bytes;
  (void)context;
  while (size--)
    board_putc(*next++);
  return 0;
}

int main(void) {
  const struct bareprof_sink uart = {to_uart, NULL};
  if (NUMBER)
    only_in_application();
  else
    only_in_bootloader();
  return bareprof_send(&uart, BAREPROF_LEAN | BAREPROF_IMAGE(NUMBER));
}
