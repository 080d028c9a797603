/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof report and bareprof run: what the user asks for, and its making.
 */
#ifndef BAREPROF_TOOLS_CMD_REPORT_H
#define BAREPROF_TOOLS_CMD_REPORT_H

#include "../base/options.h"
#include "../coverage/baseline/baseline.h"
#include "../coverage/baseline/change.h"
#include "../coverage/coverage.h"
#include "../coverage/inputs/inputs.h"
#include "../coverage/out/out.h"
#include "../coverage/tests/by_test.h"
#include "../coverage/whole/whole.h"
#include "../image/traced.h"
#include "../wire/gdb.h"
#include "live.h"

/* ---- run_gdb.c ----
 *
 * bareprof run --gdb: starts QEMU with a GDB server of its own, and reads the
 * counts where the program ends. Or --port gdb:HOST:PORT: reads those of a
 * board while it runs, by the server of its debug probe. No code on the target.
 */

struct run_gdb {
  bool wanted;
  const char *at[AT_MOST], *until; /* until: or NULL */
  size_t at_count;
  bool poison;
  double every; /* seconds between looks at the coverage; 0: none */
};

/* What is wrong with the options, or NULL. */
const char *run_gdb_wrong(const struct run_gdb *settings,
                          const struct console *console);

/* The server of a board, HOST:PORT, or NULL. */
const char *run_gdb_board(const struct console *console);

/* Where the counts go: to the ELFs of the inputs; in between to what is live.
 */
struct run_gdb_result {
  struct inputs *inputs;
  struct checks *checks;
  struct live *live;
};

/* Runs the command of the console, which has the log's name, or visits its
 * board. Returns 0, or reports the error and returns 1. */
int run_gdb(const struct run_gdb *settings, struct console *console,
            const struct run_gdb_result *result);

enum { MAPS_MOST = 64, JUNITS_MOST = 64, MOVED_MOST = 8 };

struct report_arguments {
  char **words; /* the command line, up to NULL */
  const char *out;
  char first_page[5000]; /* of live */
  struct outputs outputs;
  bool expansions;             /* in the JSON */
  const char *maps[MAPS_MOST]; /* copies */
  bool uncovered;
  bool silent; /* no table */
  bool open;   /* the page, in a browser */
  const char *diff;
  unsigned diff_format;
  bool diff_formatted;
  struct change change;     /* of diff */
  const char *against_name; /* or NULL */
  struct baseline against;
  struct lcov lines; /* of the model, if something needs it */
  char *evidence;    /* evidence.json in one line */
  struct limits limits;
  struct checks checks; /* those that failed */
  struct exclusions exclusions;
  struct whole whole;
  struct report_settings settings;
  struct inputs inputs;
  struct tests tests;
  const char *junits[JUNITS_MOST];
  size_t junit_count;
  /* Only for run. */
  struct console console;
  struct run_gdb gdb;
  bool live; /* the command is that */
  bool has_page;
  unsigned page;  /* its port */
  bool trace;     /* counts come of QEMU's plugin */
  bool object_code;             /* the ELF's, whatever it was built for */
  unsigned pcs;                 /* enum pc_form */
  bool lists;                   /* The logs are lists of that form. */
  struct trace_how how;         /* of boards' traces */
  const char *moved[MOVED_MOST];
  size_t moved_count;
  struct object_report *object; /* or NULL */
  bool counted;   /* how many dumps are wanted */
  double timeout; /* seconds */
};

/* The options of the three commands. */
enum { OF_REPORT = 1, OF_RUN = 2, OF_LIVE = 4 };
extern const struct option_row report_options[], tests_for_options[];

/* Makes the report, and prints the result. names: ELFs and logs. Returns the
 * exit status. */
int report_make(struct report_arguments *arguments, char **names, size_t count);

/* ---- trace.c ----
 *
 * bareprof run --trace: starts QEMU with the plugin that counts labels, or
 * instructions.
 */

enum { TRACE_NAME = 4200 };

/* Runs the console's command with the plugin, and adds the trace to the inputs,
 * which have one ELF, or to the object code. Returns 0, or reports the error
 * and returns 1. */
int run_trace(struct report_arguments *arguments, const struct folder *report);

/* Runs the command with the plugin, which reads the list FOLDER/labels, and
 * gives the name of the trace. Returns as run_trace. */
int run_plugin(struct console *console, const struct inputs *inputs,
               const char *folder, char trace[TRACE_NAME]);

/* Takes the value of --position. Returns NULL or what is wrong. */
const char *trace_position(struct trace_how *how, const char *value);

/* Closes the list for the plugin; out is NULL if it could not be opened. */
int run_close_list(FILE *out, const char *name);

/* ---- report_object.c ----
 *
 * Reports of object code. These functions return 0, or report the error and
 * return 1.
 */

/* Whether the file is an ELF without a coverage mapping. */
bool object_is(const char *name);

/* Refuses options that object code does not have. */
int object_begin(struct report_arguments *arguments, const char *name);

/* Runs the console's command with the plugin, and takes its counts. The trace
 * stays in the report's folder. */
int object_run(struct report_arguments *arguments, const char *folder,
               const struct folder *report);

/* Takes the counts of files among the names. */
int object_read(struct report_arguments *arguments, char **names, size_t count);

/* Gives the counts to the ELFs of the inputs, for the model, and writes the
 * lists of instructions. Without lines there is no model: *told, and the table
 * is printed. */
int object_settle(struct report_arguments *arguments,
                  const struct folder *folder, bool *told);

/* Takes all counts again, after those of single tests. */
int object_restore(struct report_arguments *arguments);

/* Prints what is known of the object code beside the table. */
void object_tell(const struct report_arguments *arguments);
void object_free(struct report_arguments *arguments);

#endif
