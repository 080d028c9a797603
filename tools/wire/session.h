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
#include "utf16.h"

struct session {
  /* From the command line; the rest is 0 at first. */
  const char *input; /* a file, - or the name of a port */
  bool live;         /* it is a port */
  bool quiet;        /* drop the console's text */
  unsigned long baud;
  unsigned count;   /* whole dumps to end after; 0: at the end of input */
  uint64_t timeout; /* ms without a byte to give up after; 0: never, but a
                       request waits for PATIENCE_DEFAULT */
  struct outcome outcome;
  struct ask ask;
  /* Of use to session.c only. */
  struct progress progress;
  struct collector *collector;
  struct scan *scan;
  struct utf16 utf16; /* a log's */
  size_t bytes;       /* of the dump that is coming */
  size_t text, odd;   /* bytes of console text; those of them that are none */
  bool told;          /* what it waits for */
  bool unanswered;    /* a request, until patience was over */
  bool refused;
};

/* Milliseconds that a request waits for, if nothing else is said. */
enum { PATIENCE_DEFAULT = 30000 };

/* Milliseconds, of a clock that only goes forward. */
uint64_t session_now(void);

/* Receives until the end. The exit status: 0, or 1. */
int session_run(struct session *session);

#endif
