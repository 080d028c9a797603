/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the boards of ../start do not have: a receiver, a watchdog.
 */
#ifndef MACHINE_H
#define MACHINE_H

void machine_start(void);

/* The next byte received; -1: there is none. */
int uart_receive(void);

/* Resets the machine, unless it is called again within a tenth of a second. */
void watchdog_kick(void);

#endif
