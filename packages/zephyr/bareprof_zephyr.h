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

/* A sink that polls the console's UART. In a thread, it locks the scheduler for
 * each line, so that lines of other threads come before or after. A line that
 * an interrupt prints may damage the dump's line; `receive --request` requests
 * that one again. */
extern const struct bareprof_sink bareprof_zephyr_console;

/* Sends a dump to bareprof_zephyr_console: a lean one with
 * CONFIG_BAREPROF_LEAN. Prints no message, and returns the result of
 * bareprof_send. Any thread or interrupt may call this; its stack needs 400
 * bytes, and the stack of the UART's driver. */
int bareprof_zephyr_dump(void);

#ifdef __cplusplus
}
#endif
#endif
