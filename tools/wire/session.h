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
#include <time.h>

#include "outcome.h"
#include "hear.h"

/* Of one dump. */
struct progress_state {
  size_t bytes;       /* received, encoding and all */
  uint64_t done, all; /* elements; all is 0 if not known yet */
};

struct progress {
  bool bar;     /* standard error is a terminal */
  bool console; /* standard output is one too */
  bool running; /* between the first update and the dump's end */
  bool drawn;   /* The bar is visible. */
  bool wide;    /* the unfinished line of text is longer than `line` */
  struct progress_state state;
  struct timespec begun, shown;
  char line[64]; /* the unfinished line of text */
  size_t used;
};

struct ask {
  /* From the command line. */
  bool dump;       /* ask for dumps at all */
  bool reset;      /* first ask for a reset */
  uint64_t every;  /* interval of requests for a dump; 0: one request */
  uint8_t options; /* of the dumps asked for */
  /* Only for session.c. ask_begin sets these fields; all others are 0 at
   * first. */
  uint32_t first; /* tag of the first wish, above 0 and never used before */
  uint32_t tag;   /* of the last one; 0: there was none */
  bool again;     /* the wish is still the same */
  uint16_t name;  /* for a start that has no number */
  unsigned tries; /* tries of the same wish without an effect */
  uint64_t since; /* when the first of them was */
  uint64_t next;  /* when to ask again */
  uint64_t due;   /* when the next dump is to be asked for */
  uint64_t heard; /* when the last frame came */
  bool wants_dump;
};

/* Chooses tags that no earlier run has used, and the name. */
void ask_begin(struct ask *ask);

struct session {
  /* From the command line; all other fields are 0 at first. */
  const char *input; /* a file, - or the name of a port */
  bool live;         /* it is a port */
  bool quiet;        /* drop the console's text */
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
  size_t text, odd; /* bytes of console text; bytes among them that are not
                       text */
  bool told;        /* The user was told what the session waits for. */
  bool unanswered;  /* A request got no answer until patience was over. */
  bool refused;
};

/* Returns milliseconds of a monotonic clock. */
uint64_t session_now(void);

/* Receives until the end. Returns the exit status: 0 or 1. */
int session_run(struct session *session);

#endif
