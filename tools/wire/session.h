/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A run of `bareprof receive`: from the input, a log or a live port, by way
 * of scanner and collector to files, and to the user's terminal.
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
  bool running; /* between the first update and the end of a dump */
  bool drawn;   /* the bar can be seen */
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
  uint64_t every;  /* ask for a dump that often; 0: once */
  uint8_t options; /* of the dumps asked for */
  /* Of use to session.c; set by ask_begin, and 0 else at first. */
  uint32_t first; /* tag of the first wish, above 0: unlike all before */
  uint32_t tag;   /* of the last one; 0: there was none */
  bool again;     /* it is still the same wish */
  uint16_t name;  /* for a start that has no number */
  unsigned tries; /* of the same wish without an effect */
  uint64_t since; /* when the first of them was */
  uint64_t next;  /* when to ask again */
  uint64_t due;   /* when the next dump is to be asked for */
  uint64_t heard; /* when the last frame came */
  bool wants_dump;
};

/* Chooses tags, which differ from those of any run before, and the name. */
void ask_begin(struct ask *ask);

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
  struct hearing hearing;
  size_t bytes;     /* of the dump that is coming */
  size_t text, odd; /* bytes of console text; those of them that are none */
  bool told;        /* what it waits for */
  bool unanswered;  /* a request, until patience was over */
  bool refused;
};

/* Milliseconds, of a clock that only goes forward. */
uint64_t session_now(void);

/* Receives until the end. The exit status: 0, or 1. */
int session_run(struct session *session);

#endif
