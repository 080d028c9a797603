/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof live: shows the coverage while the program runs, as one line for
 * each change or as a screen. Also keeps an lcov file up to date and serves a
 * page. run_gdb.c and report_make.c pass the counts in.
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
struct live_state {
  struct model exported;
  struct lcov_list lines;
};

/* Lines that ran for the first time in one poll, as text. */
enum { LIVE_PLACES = 400, LIVE_NEWS = 8, LIVE_LINKS = LIVE_PLACES / 4 };
struct live_new_lines {
  double seconds; /* seconds since the first poll */
  char places[LIVE_PLACES];
  /* A link for each place: where the place ends in the text, and its file's row
   * and its line on the page. */
  struct live_place_link {
    size_t end, row;
    uint32_t line;
  } links[LIVE_LINKS];
  size_t link_count;
};

/* The state of bareprof live. Set the first members, and all others to zero. */
struct live_session {
  const char *lcov;          /* name of the lcov file, or NULL */
  bool as_llvm_cov;          /* see report_settings */
  bool code_only;            /* see evaluation_options */
  const struct report_settings *settings;
  struct inputs *inputs;
  struct token_store tokens; /* tokens of the sources */
  bool screen;               /* draw a screen on standard output instead of
                                printing lines */
  struct live_page *page;    /* the page in the browser, or NULL */
  /* The next members are only for live*.c. */
  uint64_t begun; /* time of the first state; 0: none yet */
  size_t boots;   /* boots of the firmware so far; 0: a GDB server read the
                     counts */
  size_t shown;   /* boots in the last state that was printed */
  struct live_state state;
  double *touched; /* for each file, the time in seconds when new lines last
                      ran; below 0: never */
  struct live_new_lines news[LIVE_NEWS]; /* the newest lines come first */
  size_t news_count;
  bool fresh;     /* news[0] belongs to the present state */
  unsigned drawn; /* number of lines that the screen shows now */
  uint64_t when;  /* time when the screen was drawn */
};

/* Evaluates the memory that a visit has read, and shows the coverage if it
 * changed. The ELFs of visit and inputs are the same, in the same order.
 * Returns 0, or reports the error and returns 1. */
int live_show_visit(struct live_session *live, const struct inputs *inputs,
                    const struct gdb_visit *visit);

/* Like live_show_visit, for a log that is still being written: adds up the
 * dumps of all boots. Does not mention lost dumps; the final report does. */
int live_show_log(struct live_session *live, const struct inputs *inputs,
                  const char *log);

/* Serves the page, if there is one, and redraws the screen. Call it a few times
 * a second. */
void live_serve_and_redraw(struct live_session *live);

/* Frees everything, and closes the page. */
void live_free(struct live_session *live);

/* ---- live_page.c ----
 *
 * A local page with the coverage of the running program. The page updates
 * itself in the browser.
 *
 * The server listens on 127.0.0.1 only. The server offers files in a folder,
 * whose random name nobody can guess: the page, its style, its script, the
 * state as JSON, and the page of each source, as in the report, made of the
 * present state. The Host field of a request must be 127.0.0.1 or localhost, so
 * that no other site can read the page under a domain name of its own (DNS
 * rebinding). The server takes no other input.
 */

/* Opens the page on this port (0: any free port), and prints its address. The
 * strings title and report (path of the report's first page) must outlive the
 * page. Returns NULL after it has reported an error. */
struct live_page *live_page_open(unsigned port, const char *title,
                                 const char *report);

void live_page_set_state(struct live_page *page,
                         const struct live_session *live);

/* Writes the answer to a request. The request ends in a zero byte; the call
 * modifies it. Only for live_page.c and its fuzz target. */
void live_page_write_answer(const struct live_page *page, char *request,
                            FILE *to);

/* Return the page's folder, with a slash at both ends, and its port. */
const char *live_page_folder(const struct live_page *page);
unsigned live_page_port(const struct live_page *page);

/* Answers the requests that have arrived. Does not wait. */
void live_page_serve(struct live_page *page);

void live_page_close(struct live_page *page);

/* ---- live_show.c ----
 *
 * Finds the lines that ran for the first time, and prints the state on the
 * terminal.
 */

double live_elapsed_seconds(const struct live_session *live);

/* Compares a state with live->state, and adds new lines to live->news. Returns
 * whether the state differs. */
bool live_note_changes(struct live_session *live, const struct live_state *now);

/* Prints the state: one line, or the screen over the previous screen. */
void live_print_state(struct live_session *live);

/* Draws the screen again if it is two seconds old, because it shows the time.
 */
void live_redraw_if_old(struct live_session *live);

/* Returns the files that have lines, in the order of the screen and the page:
 * files that ran something new last come first, then files with the most
 * uncovered lines. The caller frees the list. */
struct live_file {
  const char *name; /* file name without the folder that all files share */
  const struct file_row *row;
  double touched;
};
struct live_file *live_list_files(const struct live_session *live,
                                  size_t *count);

#endif
