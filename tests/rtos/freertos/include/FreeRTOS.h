/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The parts of FreeRTOS that examples/freertos uses, with the same names. The
 * test makes task.h, queue.h and semphr.h, which include this file.
 */
#ifndef FREERTOS_H
#define FREERTOS_H

#include "FreeRTOSConfig.h"

#include <stddef.h>
#include <stdint.h>

typedef struct queue *QueueHandle_t;
typedef QueueHandle_t SemaphoreHandle_t;
typedef void TaskFunction_t(void *argument);

#define portMAX_DELAY UINT32_MAX
int xTaskCreate(TaskFunction_t *entry, const char *name, unsigned words,
                void *argument, unsigned priority, void *handle);
void vTaskDelay(uint32_t ticks);
void vTaskStartScheduler(void);
void vApplicationTickHook(void);

/* Queues of at most 4 words. All waits are for ever. */
QueueHandle_t xQueueCreate(unsigned length, unsigned size);
int xQueueSend(QueueHandle_t queue, const void *item, uint32_t wait);
int xQueueReceive(QueueHandle_t queue, void *item, uint32_t wait);
SemaphoreHandle_t xSemaphoreCreateMutex(void);
int xSemaphoreTake(SemaphoreHandle_t mutex, uint32_t wait);
int xSemaphoreGive(SemaphoreHandle_t mutex);

#endif
