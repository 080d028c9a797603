/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The parts of Zephyr that the module uses, with the same names.
 */
#ifndef ZEPHYR_KERNEL_H
#define ZEPHYR_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARG_UNUSED(x) ((void)(x))
#define IS_ENABLED(option) IS_ENABLED_(option)
#define IS_ENABLED_(option) IS_ENABLED_OF(COMMA_##option 1, 0)
#define IS_ENABLED_OF(one_or_more, ...) IS_ENABLED_SECOND(one_or_more, 0)
#define IS_ENABLED_SECOND(unused, value, ...) value
#define COMMA_1 0,

/* Levels of initialisation are sections, in this order in the script. */
typedef int initialiser(void);
#define SYS_INIT(function, level, priority)                             \
  __attribute__((section(".init_" SYS_INIT_##level),                    \
                 used)) static initialiser *const entry_of_##function = \
      function
#define SYS_INIT_EARLY "early"
#define SYS_INIT_APPLICATION "application"

/* A UART that polls for its interrupt while a thread waits. */
struct device {
  volatile uint32_t *registers;
};
extern const struct device console_uart;
#define DT_CHOSEN(name) name
#define DEVICE_DT_GET(node) (&console_uart)
typedef void uart_callback(const struct device *uart, void *data);
void uart_poll_out(const struct device *uart, unsigned char byte);
int uart_irq_update(const struct device *uart);
int uart_irq_rx_ready(const struct device *uart);
int uart_fifo_read(const struct device *uart, uint8_t *bytes, int size);
void uart_irq_callback_user_data_set(const struct device *uart,
                                     uart_callback *callback, void *data);
void uart_irq_rx_enable(const struct device *uart);

/* One thread beside main: it runs when main has returned. */
struct k_sem {
  volatile unsigned count;
};
#define K_SEM_DEFINE(name, initial, limit) struct k_sem name = {initial}
#define K_FOREVER 0
void k_sem_give(struct k_sem *semaphore);
int k_sem_take(struct k_sem *semaphore, int timeout);
typedef void k_thread_entry(void *first, void *second, void *third);
#define K_LOWEST_APPLICATION_THREAD_PRIO 14
#define K_THREAD_DEFINE(name, stack, entry, a, b, c, priority, options, delay) \
  __attribute__((section(".init_thread"),                                      \
                 used)) static k_thread_entry *const entry_of_##name = entry
bool k_is_in_isr(void);
bool k_is_pre_kernel(void);
void k_sched_lock(void);
void k_sched_unlock(void);

void printk(const char *format, ...);
int main(void);

#endif
