/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A receiver and a watchdog, which the boards of ../start do not have.
 */
#ifndef MACHINE_H
#define MACHINE_H

void machine_start(void);

/* Returns the next byte received, or -1 if there is none. */
int uart_receive(void);

/* Resets the machine, unless it is called again within a tenth of a second. */
void watchdog_kick(void);

#endif
