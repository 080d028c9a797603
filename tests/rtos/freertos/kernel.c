/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A stand-in for FreeRTOS on a Cortex-M3: preemptive, by priorities. It is
 * measured as the kernel is, and has naked functions of the same names.
 */
#include "FreeRTOS.h"

#include <stdbool.h>

enum { TASKS = 5, WORDS = 256, SLOTS = 4 };

struct task {
  uint32_t *top; /* of its stack, as PendSV left it */
  unsigned priority;
  uint32_t wakes;
  const struct queue *waits;
};
struct queue {
  volatile unsigned used;
  unsigned length, first;
  int items[SLOTS];
};

static struct task tasks[TASKS];
static uint32_t stacks[TASKS][WORDS] __attribute__((aligned(8)));
static struct queue queues[2];
static unsigned made, queues_made;
static struct task *current;
static volatile uint32_t now;

uint32_t *kernel_switch(uint32_t *top);
void kernel_idle(void);
void prvPortStartFirstTask(uint32_t *top);

static void interrupts(bool on) {
  if (on)
    __asm__ volatile("cpsie i" ::: "memory");
  else
    __asm__ volatile("cpsid i" ::: "memory");
}

/* ---- tasks ---- */

static void stop(void) {
  for (;;) {
  }
}

int xTaskCreate(TaskFunction_t *entry, const char *name, unsigned words,
                void *argument, unsigned priority, void *handle) {
  struct task *task = &tasks[made];
  uint32_t *frame = &stacks[made][WORDS - 8]; /* r0 to r3, r12, lr, pc, psr */
  (void)name;
  (void)handle;
  if (made == TASKS || words > WORDS)
    return 0;
  frame[0] = (uint32_t)argument;
  frame[5] = (uint32_t)stop;
  frame[6] = (uint32_t)entry;
  frame[7] = 0x01000000;
  task->top = frame - 8; /* r4 to r11 */
  task->priority = priority;
  made++;
  return 1;
}

/* The next one of the highest priority that does not wait. */
uint32_t *kernel_switch(uint32_t *top) {
  unsigned at = (unsigned)(current - tasks);
  struct task *next = &tasks[0]; /* idle */
  current->top = top;
  for (unsigned i = 1; i <= made; i++) {
    struct task *task = &tasks[(at + i) % made];
    if ((int32_t)(now - task->wakes) >= 0 && task->priority > next->priority)
      next = task;
  }
  current = next;
  return next->top;
}

static void yield(void) { *(volatile uint32_t *)0xE000ED04 = 1u << 28; }

void vTaskDelay(uint32_t ticks) {
  current->wakes = now + ticks;
  yield();
}

void SysTick_Handler(void);
void SysTick_Handler(void) {
  now = now + 1;
  vApplicationTickHook();
  yield();
}

void PendSV_Handler(void);
__attribute__((naked)) void PendSV_Handler(void) {
  __asm__ volatile("mrs r0, psp\n"
                   "stmdb r0!, {r4-r11}\n"
                   "push {r3, lr}\n"
                   "cpsid i\n"
                   "bl kernel_switch\n"
                   "cpsie i\n"
                   "pop {r3, lr}\n"
                   "ldmia r0!, {r4-r11}\n"
                   "msr psp, r0\n"
                   "bx lr");
}

__attribute__((naked)) void prvPortStartFirstTask(uint32_t *top) {
  __asm__ volatile("msr psp, r0\n"
                   "movs r0, #2\n"
                   "msr control, r0\n"
                   "isb\n"
                   "b kernel_idle");
}

void kernel_idle(void) {
  interrupts(true);
  for (;;) {
  }
}

void vTaskStartScheduler(void) {
  volatile uint32_t *tick = (volatile uint32_t *)0xE000E010;
  interrupts(false);
  *(volatile uint32_t *)0xE000ED20 = 0xFFFF0000; /* both: lowest priority */
  /* The first task's place is that of idle. */
  tasks[made] = tasks[0];
  made++;
  tasks[0].priority = 0;
  current = &tasks[0];
  tick[1] = configCPU_CLOCK_HZ / configTICK_RATE_HZ - 1;
  tick[2] = 0;
  tick[0] = 7;
  prvPortStartFirstTask(&stacks[TASKS - 1][WORDS]);
}

/* ---- queues: each function returns with interrupts on ---- */

/* Called with interrupts off: the task switches once they are on. */
static void wait_for(const struct queue *queue) {
  current->waits = queue;
  vTaskDelay(UINT32_MAX / 4);
  interrupts(true);
}

static int changed(const struct queue *queue) {
  for (unsigned i = 1; i < made; i++)
    if (tasks[i].waits == queue) {
      tasks[i].waits = NULL;
      tasks[i].wakes = now;
    }
  yield();
  interrupts(true);
  return 1;
}

QueueHandle_t xQueueCreate(unsigned length, unsigned size) {
  struct queue *queue = &queues[queues_made++];
  queue->length = size == sizeof(int) && length <= SLOTS ? length : 0;
  return queue;
}

int xQueueSend(QueueHandle_t queue, const void *item, uint32_t wait) {
  (void)wait;
  for (interrupts(false); queue->used == queue->length; interrupts(false))
    wait_for(queue);
  queue->items[(queue->first + queue->used) % SLOTS] = *(const int *)item;
  queue->used++;
  return changed(queue);
}

int xQueueReceive(QueueHandle_t queue, void *item, uint32_t wait) {
  (void)wait;
  for (interrupts(false); !queue->used; interrupts(false))
    wait_for(queue);
  *(int *)item = queue->items[queue->first++ % SLOTS];
  queue->used--;
  return changed(queue);
}

/* A mutex is a queue of one. */
SemaphoreHandle_t xSemaphoreCreateMutex(void) {
  return xQueueCreate(1, sizeof(int));
}
int xSemaphoreTake(SemaphoreHandle_t mutex, uint32_t wait) {
  return xQueueSend(mutex, &(int){0}, wait);
}
int xSemaphoreGive(SemaphoreHandle_t mutex) {
  return xQueueReceive(mutex, &(int){0}, 0);
}
