/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions for programs on the boards, besides libbareprof: the serial port, a
 * periodic timer, exit and reset. Start-up does the same as a vendor's: stack,
 * FPU, .data, .bss, .preinit_array, .init_array, main, the functions of atexit,
 * .fini_array; then QEMU ends with main's status. Start-up does not call
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

/* Sends a byte over the serial port, without translation of line ends. Polls
 * until the port has room. */
void board_putc(char byte);

/* Returns the next byte received, or -1 at once if there is none. */
int board_getc(void);

void board_puts(const char *text);
void board_put_number(uint64_t number); /* decimal, without a division */

/* Does what exit() does: runs the functions of atexit and .fini_array, and ends
 * QEMU with the status (0 to 255). The start-up code calls it when main
 * returns. */
__attribute__((noreturn)) void board_exit(int status);

/* Resets the machine. RAM keeps its contents, except initialised data and other
 * data in their segment, which QEMU loads again. */
__attribute__((noreturn)) void board_reset(void);

/* Called on a fault or an unexpected interrupt, with its number and the
 * interrupted address. The stack pointer is at the top of the stack again. The
 * program may define its own, which must not return. The default prints both
 * numbers, and ends QEMU with BOARD_FAULT_STATUS. */
__attribute__((noreturn)) void board_fault(uintptr_t cause, uintptr_t pc);

/* Registers a function for board_exit. Returns 1 if BOARD_ATEXIT_MAX functions
 * are registered already, otherwise 0. Compilers register destructors of C++
 * globals with this function. */
#define BOARD_ATEXIT_MAX 8
int atexit(void (*function)(void));

/* Calls handler from the timer's interrupt every interval ticks of TIMER_HZ
 * (a macro that board.mk defines). Cortex-M: SysTick, interval 2 to 2^24.
 * RISC-V: the machine timer of the calling hart; one handler for all harts.
 * A-profile: the virtual timer, interval up to 2^31 - 1. Interrupts that come
 * while handler runs are lost. handler must use no floating-point registers. */
void board_timer_start(uint32_t interval, void (*handler)(void));
void board_timer_stop(void);

/* The entry of the timer's interrupt. A program may define its own, in
 * assembly, which must call board_timer_next with the ticks up to the next
 * interrupt. No code calls handler then. */
void timer_interrupt(void);
void board_timer_next(uint32_t interval);

/* RISC-V with -smp: the program may define its own. Harts 1 to 3 call it, each
 * on a stack of its own, before hart 0 calls main. A hart sleeps when it
 * returns. */
void board_secondary(unsigned hart);

#ifdef __cplusplus
}
#endif
#endif
