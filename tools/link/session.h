/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A run of `bareprof receive`: from the input, a log or a live port, by way
 * of scanner and collector to files, and to the user's terminal.
 */
#ifndef BAREPROF_TOOLS_SESSION_H
#define BAREPROF_TOOLS_SESSION_H

#include "ask.h"
#include "outcome.h"
#include "progress.h"
#include "scan.h"

struct session {
  /* From the command line; the rest is 0 at first. */
  const char *input; /* a file, - or the name of a port */
  bool live;         /* it is a port */
  bool quiet;        /* drop the console's text */
  unsigned long baud;
  unsigned count;   /* whole dumps to end after; 0: at the end of input */
  uint64_t timeout; /* ms without a byte to give up after; 0: never */
  struct outcome outcome;
  struct ask ask;
  /* Of use to session.c only. */
  struct progress progress;
  struct collector *collector;
  struct scan *scan;
  size_t bytes; /* of the dump that is coming */
  bool refused;
};

/* Milliseconds, of a clock that only goes forward. */
uint64_t session_now(void);

/* Receives until the end. The exit status: 0, or 1. */
int session_run(struct session *session);

#endif
