/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends dumps over the console's UART. at_exit.c and requests.c use it.
 */
#include <zephyr/device.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/kernel.h>

#include "bareprof_zephyr.h"

static int to_console(void *context, const void *bytes, size_t size) {
  const struct device *uart = DEVICE_DT_GET(DT_CHOSEN(zephyr_console));
  const unsigned char *byte = bytes;
  /* The runtime passes one line of text in each call, and no thread that prints
   * the log may run within the line. */
  bool lock = !k_is_in_isr() && !k_is_pre_kernel();
  ARG_UNUSED(context);
  if (lock)
    k_sched_lock();
  while (size--)
    uart_poll_out(uart, *byte++);
  if (lock)
    k_sched_unlock();
  return 0;
}

const struct bareprof_sink bareprof_zephyr_console = {to_console, NULL};

int bareprof_zephyr_dump(void) {
  return bareprof_send(
      &bareprof_zephyr_console,
      BAREPROF_TEXT | (IS_ENABLED(CONFIG_BAREPROF_LEAN) ? BAREPROF_LEAN : 0));
}
