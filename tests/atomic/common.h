/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of the test programs: the counted code, and reports.
 */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

/* counted.c is instrumented. shared does nothing besides counting. */
void shared(void);
int decide(unsigned a, unsigned b, unsigned c);

/* Calls shared() until *calls is `many`; no other code may write *calls. The
 * time between two calls varies, so that interrupts and other harts meet each
 * instruction of the counting code. */
void count_calls(volatile unsigned *calls, unsigned many);

/* Prints the line `NAME FIRST SECOND` on the serial port. */
void print_result(const char *name, uint64_t first, uint64_t second);

/* Writes counts.profraw; or counts.frames, if LEAN is defined. Returns 0 or the
 * error. */
int write_profile(void);

#endif
