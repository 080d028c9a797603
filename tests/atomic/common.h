/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of the test programs: the counted code, and reports.
 */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

/* counted.c, instrumented. shared does nothing but count. */
void shared(void);
int decide(unsigned a, unsigned b, unsigned c);

/* Counts call after call until there are so many; calls is theirs alone.
 * What lies between two calls changes in length, so that an interrupt, or
 * another hart, comes upon every place of them. */
void count_calls(volatile unsigned *calls, unsigned many);

/* `NAME FIRST SECOND`, a line on the serial port. */
void print_result(const char *name, uint64_t first, uint64_t second);

/* Returns 0 when counts.profraw is written; with LEAN, counts.frames. */
int write_profile(void);

#endif
