/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One task reads levels, one runs the pump, all log. In the first run the pump
 * gets hot and its task hangs; the watchdog resets the chip, and the counts
 * stay. After half a second the task of the lowest priority sends the profile,
 * then whenever the host requests it. This file is not measured.
 */
#include "FreeRTOS.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"

#include "bareprof_options.h"
#include "bareprof_wire.h"
#include "board.h"
#include "machine.h"
#include "pump.h"

static QueueHandle_t levels;
static SemaphoreHandle_t console;

/* The log and the profile share the UART. A call writes a line: bareprof calls
 * its sink once for each line of text. */
static int to_uart(void *context, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  (void)context;
  xSemaphoreTake(console, portMAX_DELAY);
  while (size--)
    uart_send(*byte++);
  xSemaphoreGive(console);
  return 0;
}

static void print(const char *line) {
  size_t size = 0;
  while (line[size])
    size++;
  to_uart(NULL, line, size);
}

static void read_levels(void *unused) {
  (void)unused;
  for (int level = 0;; level = (level + 7) % 100) {
    xQueueSend(levels, &level, portMAX_DELAY);
    vTaskDelay(2);
  }
}

static void run_pump(void *unused) {
  enum pump now = PUMP_OFF;
  int level;
  (void)unused;
  for (;;) {
    xQueueReceive(levels, &level, portMAX_DELAY);
    watchdog_kick();
    enum pump next = pump_step(now, level, !bareprof_retained());
    if (next == PUMP_ALARM) {
      print("pump hot\n");
      for (;;) { /* the fault of this example */
      }
    }
    if (next != now)
      print(next == PUMP_ON ? "pump on\n" : "pump off\n");
    now = next;
  }
}

/* Has the lowest priority, so as not to delay tasks. 256 words of stack are
 * enough; docs/reference/sizes.md has the figures. */
static void dump(void *unused) {
  static const struct bareprof_sink uart = {to_uart, NULL};
  static struct bareprof_wire wire =
      BAREPROF_WIRE_INIT(NULL, &uart, BAREPROF_TEXT);
  (void)unused;
  vTaskDelay(500);
  if (bareprof_send(&uart, BAREPROF_TEXT))
    print("no dump\n");
  for (;; vTaskDelay(1)) {
    int byte;
    while ((byte = uart_receive()) >= 0)
      if (bareprof_wire_feed(&wire, (uint8_t)byte))
        bareprof_wire_serve(&wire);
  }
}

#ifdef __riscv
void freertos_risc_v_trap_handler(void);
#endif

int main(void) {
  /* Call this before the first measured function. It keeps the counts of the
   * boot before, because this file uses bareprof_retained. After a power-on,
   * call bareprof_retain_forget first. */
  bareprof_init();
  machine_start();
#ifdef __riscv
  __asm__ volatile("csrw mtvec, %0" ::"r"(freertos_risc_v_trap_handler));
#endif
  levels = xQueueCreate(4, sizeof(int));
  console = xSemaphoreCreateMutex();
  xTaskCreate(read_levels, "levels", 128, NULL, 2, NULL);
  xTaskCreate(run_pump, "pump", 128, NULL, 2, NULL);
  xTaskCreate(dump, "dump", 256, NULL, 1, NULL);
  vTaskStartScheduler();
  return 1;
}
