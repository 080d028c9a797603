/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the tests of the sinks share: a program that has a profile, files of
 * the host for what comes out of a sink, and the fake hardware behind it.
 */
#ifndef FAKES_H
#define FAKES_H

#include "bareprof.h"
#include "board.h"
#include "sinks.h"

/* A check of the firmware: prints `ok LABEL` or `not ok LABEL: why`. */
void report(const char *label, int good, uint32_t got);
/* Got is what it should be. */
void expect(const char *label, uint32_t wanted, uint32_t got);

/* Captures what leaves a sink in NAME; one at a time. */
void capture_begin(const char *name);
void capture(const void *bytes, size_t size);
void capture_end(void);

/* Polls that a test waits before it gives up; and what counts the polls. */
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
