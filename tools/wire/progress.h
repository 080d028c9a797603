/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How far a dump is, for the user of a terminal or of a log.
 */
#ifndef BAREPROF_TOOLS_PROGRESS_H
#define BAREPROF_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

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

void progress_init(struct progress *progress);

/* Call it any number of times: the bar is drawn at most ten times a second.
 * Flush stdio's text before. */
void progress_update(struct progress *progress,
                     const struct progress_state *state);

/* Call it before a message is printed on standard error: ends an unfinished
 * line of text. The bar comes back with the next update. */
void progress_clear(struct progress *progress);

/* Call it before console text is printed, with that text. */
void progress_text(struct progress *progress, const unsigned char *text,
                   size_t size);

/* Ends the running dump, complete or not. Without a running dump, acts as
 * progress_clear. */
void progress_end(struct progress *progress);

#endif
