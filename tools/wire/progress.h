/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How far a dump has come, on standard error: on a terminal a bar, redrawn in
 * place; otherwise a line when a dump begins and one when it ends. The bar
 * keeps out of the way of console text: where that is printed on the same
 * terminal, it is gone before, and an unfinished line of text (a prompt)
 * comes back.
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
  bool running; /* between the first update and the end of a dump */
  bool drawn;   /* the bar can be seen */
  bool wide;    /* the unfinished line of text is longer than `line` */
  struct progress_state state;
  struct timespec begun, shown;
  char line[64]; /* the unfinished line of text */
  size_t used;
};

void progress_init(struct progress *progress);

/* Call it as often as you like: it draws ten times a second at most. Text
 * given to stdio must be flushed before. */
void progress_update(struct progress *progress,
                     const struct progress_state *state);

/* Call it before console text is printed, with that text. */
void progress_text(struct progress *progress, const unsigned char *text,
                   size_t size);

/* Call it before a message is printed on standard error: ends an unfinished
 * line of text. The bar comes back with the next update. */
void progress_clear(struct progress *progress);

/* The dump, if one was running, is over, whether it was whole or not; else
 * as progress_clear. */
void progress_end(struct progress *progress);

#endif
