/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counted code of the retain tests: work.c is instrumented, firmware.c is
 * not.
 */
#ifndef WORK_H
#define WORK_H

/* Call it once after each boot. Each number, 0 to 3, runs a different branch
 * and a different MC/DC vector. */
int visit(unsigned start);

/* The program calls it until the watchdog resets the machine. */
void tick(void);

/* Causes a fault. */
void crash(void);

#endif
