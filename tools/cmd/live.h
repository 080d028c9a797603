/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Coverage while a program runs: a line for each change, and an lcov file that
 * is written anew.
 */
#ifndef BAREPROF_TOOLS_CMD_LIVE_H
#define BAREPROF_TOOLS_CMD_LIVE_H

#include "../coverage/inputs/inputs.h"
#include "../coverage/out/lcov.h"
#include "../wire/gdb_visit.h"

/* Begins as {.lcov = FILE or NULL}. */
struct live {
  const char *lcov;
  uint64_t begun; /* the time; 0: nothing was shown yet */
  /* The last state. */
  struct exported exported;
  struct lcov lines;
};

/* Shows what a visit has read of the ELFs, which are those of the inputs, if
 * that is new. Returns 0, or reports the error and returns 1. */
int live_visit(struct live *live, const struct inputs *inputs,
               const struct visit *visit);

/* The same for the dumps of a log that is being written: all its starts. What
 * is lost is named at the end, by the report. */
int live_log(struct live *live, const struct inputs *inputs, const char *log);

void live_free(struct live *live);

#endif
