/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of the sinks' tests: a program with a profile, files of the
 * host for a sink's output, and the fake hardware.
 */
#ifndef FAKES_H
#define FAKES_H

#include "bareprof.h"
#include "board.h"
#include "sinks.h"

/* A check of the firmware: prints `ok LABEL` or `not ok LABEL: why`. */
void report(const char *label, int good, uint32_t got);
/* Fails unless got is the expected value. */
void expect(const char *label, uint32_t wanted, uint32_t got);

/* Write the bytes that leave a sink to the file `name`. Only one capture runs
 * at a time. */
void capture_begin(const char *name);
void capture(const void *bytes, size_t size);
void capture_end(void);

/* A test gives up after this number of polls. idle() counts them in idle_calls.
 */
#define POLLS 10000000
extern volatile uint32_t idle_calls;
void idle(void);

/* Writes the profile to a sink. */
int dump(int (*write)(void *, const void *, size_t), void *context);

/* feed.c: runs the instrumented code. */
void feed(void);

void test_rtt(void);
void test_swo(void);
void test_dma(void);
void test_flash(void);
void test_rtos(void);
void test_probed(void);

#endif
