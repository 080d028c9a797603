/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a state has that the one before had not, and its lines on the terminal.
 */
#ifndef BAREPROF_TOOLS_CMD_LIVE_SHOW_H
#define BAREPROF_TOOLS_CMD_LIVE_SHOW_H

#include "live.h"

/* Seconds since the first look. */
double live_seconds(const struct live *live);

/* Notes what is new in a state. Returns 1 if something is, 0 if not, or -1: out
 * of memory. */
int live_compare(struct live *live, const struct live_state *now);

/* Prints the state: a line, or the screen in the place of the last one. */
void live_print(struct live *live);

/* Draws the screen again after two seconds: its times go on. */
void live_redraw(struct live *live);

/* The files with lines, in the order of the screen and of the page: what ran
 * something new last, then by lines that did not run. The caller frees the
 * list. NULL: out of memory. */
struct live_file {
  const char *name; /* without the folders that all have */
  const struct row *row;
  double touched;
};
struct live_file *live_files(const struct live *live, size_t *count);

#endif
