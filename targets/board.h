/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions for programs on the boards, besides libbareprof: the serial port, a
 * periodic timer, the end. Start-up does the same as a vendor's: stack, FPU,
 * .data, .bss, .preinit_array, .init_array, main, the functions of atexit,
 * .fini_array; then QEMU ends with main's status. Start-up does not know
 * bareprof: link with -u bareprof_preinit, or call bareprof_init.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The exit status of QEMU after a fault or an unexpected interrupt. Standard
 * error then has the cause and the place. */
#define BOARD_FAULT_STATUS 70

/* The serial port, polled. putc waits for room and sends the byte as it is;
 * getc returns the next byte received, or -1 at once if there is none. */
void board_putc(char byte);
int board_getc(void);
void board_puts(const char *text);
void board_put_number(uint64_t number); /* decimal, without a division */

/* As exit(): runs the functions of atexit and .fini_array, ends QEMU with
 * the status (0 to 255). The start-up code calls it when main returns. */
__attribute__((noreturn)) void board_exit(int status);

/* The machine's own system reset: starts again, and keeps RAM, except
 * initialised data and other data in their segment. */
__attribute__((noreturn)) void board_reset(void);

/* Called on a fault or an unexpected interrupt, with its number and the
 * interrupted address. The program may define it. The default prints both, and
 * ends QEMU with BOARD_FAULT_STATUS. It runs on a fresh stack, and must not
 * return. */
__attribute__((noreturn)) void board_fault(uintptr_t cause, uintptr_t pc);

/* At most BOARD_ATEXIT_MAX functions; returns non-zero for one too many.
 * Destructors of C++ globals come here. */
#define BOARD_ATEXIT_MAX 8
int atexit(void (*function)(void));

/* Calls handler from the timer's interrupt every interval ticks of TIMER_HZ
 * (a macro that board.mk defines). Cortex-M: SysTick, interval 2 to 2^24.
 * RISC-V: the machine timer of the calling hart; one handler for all harts.
 * A-profile: the virtual timer, interval up to 2^31 - 1. Interrupts that come
 * while handler runs are not made up for; handler must not use floating-point
 * registers. */
void board_timer_start(uint32_t interval, void (*handler)(void));
void board_timer_stop(void);

/* The interrupt's entry. A program that has an assembly entry of its own
 * defines it; that must call board_timer_next, with the ticks up to the next
 * interrupt, and handler is not called. */
void timer_interrupt(void);
void board_timer_next(uint32_t interval);

/* RISC-V with -smp: the program may define it. Harts 1 to 3 call it, each on
 * a stack of its own, when hart 0 is about to call main, and sleep when it
 * returns. */
void board_secondary(unsigned hart);

#ifdef __cplusplus
}
#endif
#endif
