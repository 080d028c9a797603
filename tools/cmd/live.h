/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Coverage while a program runs: a line for each change, or a screen; an lcov
 * file that is written anew; a page.
 */
#ifndef BAREPROF_TOOLS_CMD_LIVE_H
#define BAREPROF_TOOLS_CMD_LIVE_H

#include "../coverage/inputs/inputs.h"
#include "../coverage/out/lcov.h"
#include "../wire/gdb_visit.h"

struct live_page;

struct live_state {
  struct exported exported;
  struct lcov lines;
};

/* Lines that ran for the first time. */
enum { LIVE_PLACES = 400, LIVE_NEWS = 8 };
struct live_news {
  double seconds; /* since the first look */
  char places[LIVE_PLACES];
};

/* Begins as zeros, with what is wished for. */
struct live {
  const char *lcov;       /* a file's name, or NULL */
  bool screen;            /* is drawn on standard output, instead of lines */
  struct live_page *page; /* or NULL */
  /* Only for live*.c. */
  uint64_t begun; /* the time; 0: nothing was shown yet */
  size_t starts;  /* of the firmware; 0: the counts were read by a GDB server */
  size_t shown;   /* starts */
  struct live_state state;
  double *touched; /* when each file has last run something new, in seconds;
                      below 0: not yet */
  struct live_news news[LIVE_NEWS]; /* the latest first */
  size_t news_count;
  bool fresh;     /* The first of them is of the last state. */
  unsigned drawn; /* lines of the screen */
  uint64_t when;  /* it was drawn */
};

/* Shows what a visit has read of the ELFs, which are those of the inputs, if
 * that is new. Returns 0, or reports the error and returns 1. */
int live_visit(struct live *live, const struct inputs *inputs,
               const struct visit *visit);

/* The same for the dumps of a log that is being written: all its starts. What
 * is lost is named at the end, by the report. */
int live_log(struct live *live, const struct inputs *inputs, const char *log);

/* Serves the page, if there is one. Call it some times a second. */
void live_tick(struct live *live);

/* Frees all, and closes the page. */
void live_free(struct live *live);

#endif
