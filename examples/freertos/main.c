/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two tasks and a queue: one reads levels, one runs the pump and logs. After
 * half a second a third one sends the profile over the UART of the log. This
 * file is not measured.
 */
#include "FreeRTOS.h"
#include "queue.h"
#include "task.h"

#include "bareprof_wire.h"
#include "board.h"
#include "pump.h"

static QueueHandle_t levels;

static void print(const char *text) {
  while (*text)
    uart_send((unsigned char)*text++);
}

static int to_uart(void *context, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  (void)context;
  while (size--)
    uart_send(*byte++);
  return 0;
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
    enum pump next = pump_step(now, level, false);
    if (next != now)
      print(next == PUMP_ON ? "pump on\n" : "pump off\n");
    now = next;
  }
}

/* The lowest priority: the dump disturbs nobody. Log lines may come between its
 * lines. 256 words of stack are enough; docs/sizes.md has the figures. */
static void dump(void *unused) {
  const struct bareprof_sink uart = {to_uart, NULL};
  (void)unused;
  vTaskDelay(500);
  if (bareprof_send(&uart, BAREPROF_TEXT))
    print("no dump\n");
  vTaskDelete(NULL);
}

#ifdef __riscv
void freertos_risc_v_trap_handler(void);
#endif

int main(void) {
  bareprof_init(); /* before the first measured function */
#ifdef __riscv
  __asm__ volatile("csrw mtvec, %0" ::"r"(freertos_risc_v_trap_handler));
#endif
  levels = xQueueCreate(4, sizeof(int));
  xTaskCreate(read_levels, "levels", 128, NULL, 2, NULL);
  xTaskCreate(run_pump, "pump", 128, NULL, 2, NULL);
  xTaskCreate(dump, "dump", 256, NULL, 1, NULL);
  vTaskStartScheduler();
  return 1;
}
