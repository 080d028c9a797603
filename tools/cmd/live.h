/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Coverage while a program runs: a line for each change, or a screen; an lcov
 * file that is written anew; a page.
 */
#ifndef BAREPROF_TOOLS_CMD_LIVE_H
#define BAREPROF_TOOLS_CMD_LIVE_H

#include "../coverage/inputs/inputs.h"
#include "../coverage/model/tokens.h"
#include "../coverage/out/out.h"
#include "../wire/gdb.h"

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
  const char *lcov;          /* a file's name, or NULL */
  bool as_llvm_cov;          /* see report_settings */
  bool code_only;            /* see evaluate_mask */
  struct token_store tokens; /* of the sources */
  bool screen;               /* is drawn on standard output, instead of lines */
  struct live_page *page;    /* or NULL */
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

/* ---- live_page.c ----
 *
 * The coverage of a running program as a page on this machine, which a browser
 * shows and keeps up to date.
 *
 * The server listens to 127.0.0.1 alone, has four files below a random folder
 * that nobody can guess, and no other ones: the page, its style, its script,
 * and the state in JSON. A request names 127.0.0.1 or localhost as its host, so
 * that no other site reads it by a name of its own. It takes no input besides.
 */

/* Opens the page on a port, or on any if that is 0, and prints its address.
 * title, and report, the report's first page, must live as long. Returns NULL
 * after an error, which is reported. */
struct live_page *live_page_open(unsigned port, const char *title,
                                 const char *report);

/* The page shows the state from now on. false: out of memory. */
bool live_page_show(struct live_page *page, const struct live *live);

/* Writes the answer to a request, which ends in a zero; the call changes the
 * request. For live_page.c and its fuzz target. */
void live_page_answer(const struct live_page *page, char *request, FILE *to);

/* The folder, with a slash at both ends, and the port. */
const char *live_page_folder(const struct live_page *page);
unsigned live_page_port(const struct live_page *page);

/* Answers the requests that have come. Does not wait. */
void live_page_serve(struct live_page *page);

/* NULL: does nothing. */
void live_page_close(struct live_page *page);

/* ---- live_show.c ----
 *
 * What a state has that the one before had not, and its lines on the terminal.
 */

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
  const struct file_row *row;
  double touched;
};
struct live_file *live_files(const struct live *live, size_t *count);

#endif
