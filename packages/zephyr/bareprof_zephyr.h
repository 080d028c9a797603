/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof in Zephyr. With CONFIG_BAREPROF the module calls bareprof_init, and
 * sends profiles when main returns or on request. This header is for
 * applications that send profiles by themselves.
 */
#ifndef BAREPROF_ZEPHYR_H
#define BAREPROF_ZEPHYR_H

#include "bareprof_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A sink to the console's UART, by polling. In a thread, it locks the scheduler
 * for each line: lines of other threads come before or after it. A line printed
 * by an interrupt may destroy it; `receive --request` requests it again. */
extern const struct bareprof_sink bareprof_zephyr_console;

/* Sends a dump to that sink, as CONFIG_BAREPROF_LEAN has it. Returns what
 * bareprof_send returns, and prints nothing. From any thread or interrupt; its
 * stack needs 400 bytes, and those of the UART's driver. */
int bareprof_zephyr_dump(void);

#ifdef __cplusplus
}
#endif
#endif
