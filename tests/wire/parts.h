/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the programs of this tier share: the counted code, the way to the
 * UART, the reference.
 */
#ifndef PARTS_H
#define PARTS_H

#include <stddef.h>

/* work.c, instrumented. */
#define WORK_PARTS 16
void work(unsigned part); /* 0 to WORK_PARTS - 1, each in its order */
void tick(void);          /* does nothing but count */

/* slots.c: fills value slots. */
void record_values(void);

/* console.c. A sink's callback: to the UART. No interrupt comes meanwhile, so
 * that none prints into a line; unless context is NULL: then it takes as long
 * as a real UART, and many do. */
int to_uart(void *context, const void *bytes, size_t size);

/* Until the program takes the timer for itself. QEMU looks whether a UART that
 * has been switched on can now receive only when something else wakes it. */
void keep_qemu_awake(void);

/* The profile as bareprof_write has it, in a file of the host. Nothing may
 * count meanwhile. 0 if it is there. */
int write_reference(const char *name);

#endif
