/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Workload: a FreeRTOS program for half a second at 1000 Hz: a sampling task
 * that keeps to its period, one that takes from its queue, two that share a
 * mutex, one that waits for event bits and notifications, a timer, and tasks
 * that are created and deleted. It ends with interrupts off.
 */
#include "FreeRTOS.h"
#include "event_groups.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"
#include "timers.h"

#include "board.h"
#include "forms.h"

#define VECTORS (*(const void *volatile *)0xe000ed08)

void vPortSVCHandler(void);
void xPortPendSVHandler(void);
void xPortSysTickHandler(void);

static QueueHandle_t samples;
static SemaphoreHandle_t bus;
static EventGroupHandle_t bits;
static TaskHandle_t waiter;

static void stop(void) { board_exit(10); }

void vApplicationStackOverflowHook(TaskHandle_t task, char *name) {
  (void)task, (void)name;
  stop();
}

static void sample(void *unused) {
  TickType_t last = xTaskGetTickCount();
  (void)unused;
  for (unsigned value = 0;; value++) {
    xTaskDelayUntil(&last, 5);
    xQueueSend(samples, &value, 0);
    if (value % 4 == 0)
      xEventGroupSetBits(bits, 1);
  }
}

static void process(void *unused) {
  unsigned value;
  (void)unused;
  for (;;)
    if (xQueueReceive(samples, &value, pdMS_TO_TICKS(20)) && value % 8 == 0)
      xTaskNotifyGive(waiter);
}

static void use_bus(void *period) {
  for (;;) {
    xSemaphoreTake(bus, portMAX_DELAY);
    for (volatile unsigned i = 0; i < 20000; i++) {
    }
    xSemaphoreGive(bus);
    vTaskDelay((TickType_t)(uintptr_t)period);
  }
}

static void short_lived(void *unused) {
  (void)unused;
  vTaskDelay(2);
  vTaskDelete(NULL);
}

static void wait(void *unused) {
  (void)unused;
  for (;;) {
    xEventGroupWaitBits(bits, 1, pdTRUE, pdTRUE, portMAX_DELAY);
    if (ulTaskNotifyTake(pdTRUE, 30))
      xTaskCreate(short_lived, "short", 128, NULL, 2, NULL);
  }
}

static void expire(TimerHandle_t timer) {
  (void)timer;
  xEventGroupSetBits(bits, 2);
}

static void end(void *unused) {
  (void)unused;
  vTaskDelay(500);
  __asm__ volatile("cpsid i" ::: "memory");
  finish();
}

void work(void) {
  static __attribute__((aligned(128))) const void *vectors[16];
  __builtin_memcpy(vectors, VECTORS, sizeof vectors);
  vectors[11] = (const void *)vPortSVCHandler;
  vectors[14] = (const void *)xPortPendSVHandler;
  vectors[15] = (const void *)xPortSysTickHandler;
  VECTORS = vectors;
  samples = xQueueCreate(4, sizeof(unsigned));
  bus = xSemaphoreCreateMutex();
  bits = xEventGroupCreate();
  xTaskCreate(sample, "sample", 128, NULL, 3, NULL);
  xTaskCreate(process, "process", 128, NULL, 2, NULL);
  xTaskCreate(use_bus, "often", 128, (void *)3, 1, NULL);
  xTaskCreate(use_bus, "rarely", 128, (void *)11, 2, NULL);
  xTaskCreate(wait, "wait", 128, NULL, 2, &waiter);
  xTaskCreate(end, "end", 512, NULL, 4, NULL);
  xTimerStart(xTimerCreate("timer", 7, pdTRUE, NULL, expire), 0);
  vTaskStartScheduler();
  stop();
}
