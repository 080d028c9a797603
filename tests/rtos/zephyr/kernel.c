/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Start-up code and kernel of the stand-in for Zephyr, on QEMU's mps2-an385.
 */
#include <stdarg.h>
#include <zephyr/kernel.h>

extern unsigned char data_start[], data_end[], data_load[];
extern unsigned char bss_start[], bss_end[];
extern uint32_t stack_top[];
extern initialiser *const init_start[];
extern initialiser *const init_end[];
extern k_thread_entry *const thread_start[];
extern k_thread_entry *const thread_end[];

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);
void z_prep_c(void);
void z_cstart(void);

/* As assembly: no counter before bareprof_init. */
__attribute__((naked)) void z_reset(void) { __asm__("bl z_prep_c"); }

__attribute__((section(".vectors"),
               used)) static const void *const vectors[2] = {stack_top,
                                                             (void *)z_reset};

/* ---- the UART ---- */

const struct device console_uart = {(volatile uint32_t *)0x40004000};
static uart_callback *on_interrupt;
static bool interrupts, locked, due;

/* Stands for a thread that prints whenever the scheduler lets it. */
static void other_thread(void) {
  if (!due || locked)
    return;
  due = false;
  printk("beat\n");
}

void uart_poll_out(const struct device *uart, unsigned char byte) {
  static unsigned sent;
  while (uart->registers[1] & 1) {
  }
  uart->registers[0] = byte;
  if (++sent % 40 == 0)
    due = true;
  other_thread();
}

int uart_irq_update(const struct device *uart) { return uart != NULL; }

int uart_irq_rx_ready(const struct device *uart) {
  return (uart->registers[1] & 2) != 0;
}

int uart_fifo_read(const struct device *uart, uint8_t *bytes, int size) {
  if (size < 1 || !uart_irq_rx_ready(uart))
    return 0;
  *bytes = (uint8_t)uart->registers[0];
  return 1;
}

void uart_irq_callback_user_data_set(const struct device *uart,
                                     uart_callback *callback, void *data) {
  ARG_UNUSED(uart);
  ARG_UNUSED(data);
  on_interrupt = callback;
}

void uart_irq_rx_enable(const struct device *uart) {
  uart->registers[2] = 3; /* transmit and receive */
  interrupts = true;
}

/* Strings only. */
void printk(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  for (; *format; format++) {
    const char *text = *format == '%' ? va_arg(arguments, const char *) : NULL;
    if (!text) {
      uart_poll_out(&console_uart, (unsigned char)*format);
      continue;
    }
    for (format++; *text; text++)
      uart_poll_out(&console_uart, (unsigned char)*text);
  }
  va_end(arguments);
}

/* ---- threads ---- */

bool k_is_in_isr(void) { return false; }
bool k_is_pre_kernel(void) { return false; }
void k_sched_lock(void) { locked = true; }
void k_sched_unlock(void) {
  locked = false;
  other_thread();
}
void k_sem_give(struct k_sem *semaphore) { semaphore->count = 1; }

int k_sem_take(struct k_sem *semaphore, int timeout) {
  ARG_UNUSED(timeout);
  while (!semaphore->count)
    if (interrupts && uart_irq_rx_ready(&console_uart))
      on_interrupt(&console_uart, NULL);
  semaphore->count = 0;
  return 0;
}

/* ---- the start ---- */

void z_prep_c(void) {
  memcpy(data_start, data_load, (size_t)(data_end - data_start));
  memset(bss_start, 0, (size_t)(bss_end - bss_start));
  console_uart.registers[4] = 16; /* baud rate divider */
  console_uart.registers[2] = 1;  /* transmit */
  z_cstart();
}

/* Initialisers in their order, then main, then the other thread. */
void z_cstart(void) {
  for (initialiser *const *entry = init_start; entry < init_end; entry++)
    (*entry)();
  main();
  for (k_thread_entry *const *entry = thread_start; entry < thread_end; entry++)
    (*entry)(NULL, NULL, NULL);
  for (;;) {
  }
}
