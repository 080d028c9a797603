/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Four tasks of FreeRTOS in the same decisions. A condition gives way to the
 * next task, and so does the tick if PREEMPTS. What they count in sum does not
 * depend on who runs when.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "../twin.h"
#include "board.h"
#include "measured.h"

enum { TASKS = 4, WORDS = 512 };

static volatile unsigned left = TASKS;

static int gives_way(int x) {
  taskYIELD();
  return x > 1;
}

static void run(void *unused) {
  (void)unused;
  unsigned sum = decisions();
  for (int i = 0; i < 8; i++)
    sum += (unsigned)asks(i & 1, i, i & 4);
  taskENTER_CRITICAL();
  board_put_number(sum);
  board_putc('\n');
  unsigned last = --left == 0;
  taskEXIT_CRITICAL();
  while (!last)
    taskYIELD();
  taskENTER_CRITICAL();
  board_exit(save());
}

#ifdef __riscv
void freertos_risc_v_trap_handler(void);

static void take_vectors(void) {
  __asm__ volatile("csrw mtvec, %0" ::"r"(freertos_risc_v_trap_handler));
}
#else
void SVC_Handler(void);
void PendSV_Handler(void);
void SysTick_Handler(void);

static void take_vectors(void) {
  static void (*vectors[16])(void) __attribute__((aligned(128)));
  void (**const *table)(void) = (void *)0xE000ED08;
  for (int i = 0; i < 16; i++)
    vectors[i] = (*table)[i];
  vectors[11] = SVC_Handler;
  vectors[14] = PendSV_Handler;
  vectors[15] = SysTick_Handler;
  *(void *volatile *)0xE000ED08 = vectors;
}
#endif

int main(void) {
  asked = gives_way;
  take_vectors();
  for (int i = 0; i < TASKS; i++)
    xTaskCreate(run, "task", WORDS, NULL, 1, NULL);
  vTaskStartScheduler();
  return 1;
}
