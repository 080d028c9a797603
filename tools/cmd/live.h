/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements bareprof live, which shows the coverage while the program runs.
 * Prints one line for each change, or draws a screen. Also keeps an lcov file
 * up to date and serves a page. run_gdb.c and report_make.c pass the counts in.
 */
#ifndef BAREPROF_TOOLS_CMD_LIVE_H
#define BAREPROF_TOOLS_CMD_LIVE_H

#include "../coverage/coverage.h"
#include "../coverage/inputs/inputs.h"
#include "../coverage/model/tokens.h"
#include "../coverage/out/out.h"
#include "../wire/gdb.h"

struct live_page;

/* The coverage after one poll. */
struct live_coverage {
  struct model exported;
  struct places places;
};

/* The bytes of a text of places, the number of polls in live_session.news, and
 * the number of links. A place in the text has at least 4 bytes. */
enum { LIVE_PLACES = 400, LIVE_NEWS = 8, LIVE_LINKS = LIVE_PLACES / 4 };

/* The lines that ran for the first time in one poll, as text. */
struct live_new_lines {
  double seconds; /* the seconds since the first poll */
  char places[LIVE_PLACES];
  /* A link for each place: the end of the place in the text, the row of its
   * file, and its line on the page. */
  struct live_place_link {
    size_t end, row;
    uint32_t line;
  } links[LIVE_LINKS];
  size_t link_count;
};

/* The state of bareprof live. The caller sets the first members, and sets all
 * others to zero. */
struct live_session {
  const char *lcov; /* the name of the lcov file, or NULL */
  const char *log;  /* the log, which is still being written */
  const struct report_settings *settings;
  struct inputs *inputs;
  struct token_store tokens; /* the tokens of the sources */
  bool screen;               /* draw a screen on standard output instead of
                                printing lines */
  struct live_page *page;    /* the page in the browser, or NULL */
  /* The next members are only for live*.c. */
  uint64_t begun; /* session_get_time of the first state; 0: no state yet */
  size_t boots;   /* the number of the firmware's boots so far; 0: a GDB server
                     read the counts */
  size_t shown;   /* the number of boots when a state was printed last */
  struct live_coverage state;
  double *touched; /* for each file, the time in seconds when new lines last
                      ran; below 0: never */
  struct live_new_lines news[LIVE_NEWS]; /* the lines that ran first in each
                                            poll; the newest poll comes first */
  size_t news_count;
  bool fresh;     /* news[0] contains lines that the latest poll found */
  unsigned drawn; /* the number of lines that the screen shows now */
  uint64_t when;  /* session_get_time when the screen was drawn */
};

/* Evaluates the memory that a visit to the target has read, and shows the
 * coverage if it has changed. The ELFs of `visit` and live->inputs must be the
 * same, in the same order. If `visit` is NULL, adds up the dumps of all boots
 * in the log, and does not mention lost dumps; the final report does. Returns
 * 0, or reports the error and returns 1. */
int live_show_counts(struct live_session *live, const struct gdb_visit *visit);

/* Serves the page, if there is one, and redraws the screen. Call this function
 * a few times a second. */
void live_serve_and_redraw(struct live_session *live);

/* Frees everything, and closes the page. */
void live_free(struct live_session *live);

/* ---- live_page.c ----
 *
 * Serves a local page with the coverage of the running program. The page
 * updates itself in the browser.
 *
 * The server listens on 127.0.0.1 only. The server offers files in a folder,
 * whose random name nobody can guess: the page, its style, its script, the
 * state as HTML, and a page for each source, like the report's page, with the
 * present state. The Host field of a request must be 127.0.0.1 or localhost, so
 * that no other site can read the page under a domain name of its own (DNS
 * rebinding). The server takes no other input.
 */

/* Opens the page on this TCP port (0: any free port), and prints its address.
 * The strings title and report_name (path of the report's first page) must
 * outlive the page. Returns NULL after it has reported an error. */
struct live_page *live_page_open(unsigned port, const char *title,
                                 const char *report_name);

/* Makes the HTML of the present state. The page refers to `live` until the page
 * is closed. */
void live_page_set_state(struct live_page *page,
                         const struct live_session *live);

/* Writes the answer to a request. A zero byte ends the request, which the call
 * modifies. Only live_page.c and its fuzz target call this function. */
void live_page_write_answer(const struct live_page *page, char *request,
                            FILE *to);

/* live_page_folder returns the page's folder, with a slash at both ends.
 * live_page_port returns its TCP port. */
const char *live_page_folder(const struct live_page *page);
unsigned live_page_port(const struct live_page *page);

/* Answers the requests that have arrived, without waiting. */
void live_page_serve(struct live_page *page);

void live_page_close(struct live_page *page);

/* ---- live_show.c ----
 *
 * Finds the lines that ran for the first time, and prints the state on the
 * terminal.
 */

/* Returns the seconds since the first state. */
double live_elapsed_seconds(const struct live_session *live);

/* Compares a state with live->state, and adds new lines to live->news. Returns
 * whether the state differs. */
bool live_note_changes(struct live_session *live,
                       const struct live_coverage *now);

/* Prints the state as one line, or draws the screen over the previous one. */
void live_print_state(struct live_session *live);

/* Draws the screen again, which shows the time, if it is two seconds old. */
void live_redraw_if_old(struct live_session *live);

/* Returns the files that have lines, in the order of the screen and the page.
 * Files that ran new lines most recently come first, then files with the most
 * uncovered lines. The caller frees the list. */
struct live_file {
  const char *name; /* the file's name, without the folder that all files
                       share */
  const struct file_row *row;
  double touched;
};
struct live_file *live_list_files(const struct live_session *live,
                                  size_t *count);

#endif
