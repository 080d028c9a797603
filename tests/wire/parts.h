/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of this tier's programs: the counted code, a sink to the
 * UART, the reference profile.
 */
#ifndef PARTS_H
#define PARTS_H

#include <stddef.h>

/* work.c is instrumented. */
#define WORK_PARTS 16
void work(unsigned part); /* 0 to WORK_PARTS - 1, each in its order */
void tick(void);          /* does nothing but count */

/* slots.c: fills value slots. */
void record_values(void);

/* console.c: a sink's function, which writes to the UART. It masks interrupts,
 * so that no interrupt prints into a line. If context is NULL, it does not mask
 * them, and is as slow as a real UART, so that many interrupts come meanwhile.
 */
int to_uart(void *context, const void *bytes, size_t size);

/* Starts a timer that does nothing. Without other events, QEMU does not notice
 * that a UART which has been switched on can receive. */
void keep_qemu_awake(void);

/* Writes the profile to a file on the host with bareprof_write. No code may
 * count meanwhile. Returns 0 or an error. */
int write_reference(const char *name);

#endif
