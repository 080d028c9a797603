/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counted code of the retain tests: work.c is instrumented, firmware.c is
 * not.
 */
#ifndef WORK_H
#define WORK_H

/* One visit at each start, with its number from 0 to 3, which another branch
 * and another test vector belong to. */
int visit(unsigned start);

/* Called over and over until a watchdog bites. */
void tick(void);

/* Faults. */
void crash(void);

#endif
