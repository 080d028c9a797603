/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A run of `bareprof receive`: from the input (a log or a live port) through
 * scanner and collector to files and the user's terminal.
 */
#ifndef BAREPROF_TOOLS_SESSION_H
#define BAREPROF_TOOLS_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ask.h"
#include "hear.h"
#include "outcome.h"
#include "progress.h"

struct session {
  /* From the command line; all other fields are 0 at first. */
  const char *input; /* a file, - or the name of a port */
  bool live;         /* it is a port */
  bool quiet;        /* drop the console's text */
  bool allow_missing; /* missing dumps are told, and no error */
  unsigned long baud;
  unsigned count;   /* complete dumps before the end; 0: until the end of
                       input */
  uint64_t timeout; /* ms without a byte to give up after; 0: never, but a
                       request waits for PATIENCE_DEFAULT */
  struct outcome outcome;
  struct ask ask;
  /* Only for session.c. */
  struct progress progress;
  struct hearing hearing;
  size_t bytes;     /* received of the current dump */
  bool lost;        /* It has been said that something is lost. */
  bool told;        /* The user was told what the session waits for. */
  bool unanswered;  /* A request got no answer until patience was over. */
  bool refused;
  bool ending; /* Nothing more is requested. */
  bool gone;   /* The port has ended by itself. */
  bool uncounted; /* The user was told that dumps have no ordinals. */
};

/* Returns milliseconds of a monotonic clock. */
uint64_t session_now(void);

/* Receives until the end. Returns the exit status: 0 or 1. */
int session_run(struct session *session);

#endif
