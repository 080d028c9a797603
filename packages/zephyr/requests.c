/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends dumps on request. The interrupt of the console's UART reads requests,
 * and a thread of the lowest priority serves them.
 */
#include <zephyr/device.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/kernel.h>

#include "bareprof_zephyr.h"

static struct bareprof_wire wire = {
    .out = &bareprof_zephyr_console,
    .options =
        BAREPROF_TEXT | (IS_ENABLED(CONFIG_BAREPROF_LEAN) ? BAREPROF_LEAN : 0)};
static K_SEM_DEFINE(requested, 0, 1);

static void on_receive(const struct device *uart, void *unused) {
  uint8_t byte;
  ARG_UNUSED(unused);
  if (!uart_irq_update(uart))
    return;
  while (uart_irq_rx_ready(uart) && uart_fifo_read(uart, &byte, 1) == 1)
    if (bareprof_wire_feed(&wire, byte))
      k_sem_give(&requested);
}

static void serve(void *first, void *second, void *third) {
  const struct device *uart = DEVICE_DT_GET(DT_CHOSEN(zephyr_console));
  ARG_UNUSED(first);
  ARG_UNUSED(second);
  ARG_UNUSED(third);
  uart_irq_callback_user_data_set(uart, on_receive, NULL);
  uart_irq_rx_enable(uart);
  for (;;) {
    k_sem_take(&requested, K_FOREVER);
    bareprof_wire_serve(&wire);
  }
}

K_THREAD_DEFINE(bareprof_requests, CONFIG_BAREPROF_STACK_SIZE, serve, NULL,
                NULL, NULL, K_LOWEST_APPLICATION_THREAD_PRIO, 0, 0);
