/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the options of bareprof report, run and live, and the functions that
 * make the report. report.c reads the options; report_make.c runs the steps.
 */
#ifndef BAREPROF_TOOLS_CMD_REPORT_H
#define BAREPROF_TOOLS_CMD_REPORT_H

#include "../base/options.h"
#include "../coverage/baseline/baseline.h"
#include "../coverage/baseline/change.h"
#include "../coverage/coverage.h"
#include "../coverage/inputs/inputs.h"
#include "../coverage/out/out.h"
#include "../coverage/tests/tests.h"
#include "../coverage/whole/expected.h"
#include "../image/trace_counts.h"
#include "../objectcode/objectcode.h"
#include "../wire/gdb.h"
#include "live.h"

/* ---- run_gdb.c ----
 *
 * Implements bareprof run --gdb: starts QEMU with a private GDB server, and
 * reads the counters when the program ends. With --port gdb:HOST:PORT, reads
 * the counters of a running board through the server of its debug probe. Both
 * options work without code on the target.
 */

/* The options of a run with a GDB server. */
struct run_gdb_settings {
  bool wanted;
  const char *at[AT_MOST], *until; /* the functions to stop at, and the text
                                      that ends the run; until may be NULL */
  size_t at_count;
  bool poison;
  double every; /* the seconds between polls of the coverage; 0: no polls */
};

struct report_arguments;

/* Returns the error if options exclude or need each other, otherwise NULL. */
const char *run_gdb_check_settings(const struct report_arguments *arguments);

/* Returns HOST:PORT of the board's GDB server, or NULL without a board. The
 * result points into console. */
const char *run_gdb_find_server_address(const struct console *console);

/* Runs the command of the console, or connects to the board of the console, and
 * writes the console's text to console->log. Returns 0, or reports the error
 * and returns 1. */
int run_gdb_program(struct report_arguments *arguments,
                    struct live_session *live);

/* ---- report_make.c ---- */

enum { MAPS_MOST = 64, JUNITS_MOST = 64 };

/* The options of one command, and the data that its steps share. */
struct report_arguments {
  char **words; /* the command line; NULL ends the list */
  const char *out;
  char first_page[5000]; /* the path of the report's first page, for live */
  struct output_file_names outputs;
  bool expansions; /* the JSON output includes macro expansions */
  char here[4096]; /* the current folder */
  struct source_maps shown_paths; /* settings.paths, for names in output:
                                     relative to the current folder */
  const char *maps[MAPS_MOST];    /* the values of --source-map, and of --root,
                                     as allocated copies */
  bool uncovered;
  bool silent; /* do not print a table */
  bool open;   /* open the page in a browser */
  const char *diff;
  unsigned diff_format;
  bool diff_formatted;
  struct change_coverage change; /* the changes in `diff`, once `diff` has been
                                    read */
  const char *against_name;      /* the name of the earlier report, or NULL */
  struct baseline against;
  struct places places; /* what can be covered, if an output needs it */
  struct coverage_limits limits;
  struct failed_checks checks; /* the limits that failed */
  struct exclusions exclusions;
  struct expected_sources whole;
  struct report_settings settings;
  struct inputs inputs;
  struct tests tests;
  const char *junits[JUNITS_MOST];
  size_t junit_count;
  /* These members are for run and live, and for object code. */
  struct console console;
  struct run_gdb_settings gdb;
  bool live; /* this command is bareprof live */
  bool has_page;
  unsigned page;            /* the TCP port of the page */
  bool trace;               /* a QEMU plugin counts */
  bool object_code;         /* report object code even if the ELF has a
                                   coverage mapping */
  unsigned pcs;             /* a value of enum pc_list_form */
  bool lists;               /* the logs are lists of addresses, in the form
                                   of pcs */
  struct trace_options how; /* the options for reading traces from boards */
  const char *moved[MOVES_MOST];
  size_t moved_count;
  struct object_lines object; /* the data of a report of object code */
  bool counted;                 /* the user gave --count */
  double timeout;               /* the timeout in seconds */
};

/* Bits of option_row.commands: the commands that have the option. */
enum { OF_REPORT = 1, OF_RUN = 2, OF_LIVE = 4, OF_CONSOLE = OF_RUN | OF_LIVE };
extern const struct option_row report_options[], tests_for_options[];

/* Makes the report and prints the result. `names` lists the ELFs and logs.
 * Returns the exit status. */
int report_make(struct report_arguments *arguments, char **names, size_t count);

/* ---- trace.c ----
 *
 * Implements bareprof run --trace: starts QEMU with the plugin that counts
 * trace points or instructions.
 */

/* Runs the console's command with the plugin. Adds the trace to the inputs,
 * which must contain exactly one ELF, or to the object code. Returns 0, or
 * reports the error and returns 1. */
int trace_run_command(struct report_arguments *arguments,
                      const struct report_folder *report_in);

/* Parses the value of --position. `how` is a struct trace_options. Returns NULL
 * or the error. */
const char *trace_parse_position(void *how, const char *value);

/* ---- report_object.c ----
 *
 * Makes reports of object code, that is, of ELFs without a coverage mapping,
 * from a trace. These functions return 0, or report the error and return 1.
 */

/* Rejects options that are impossible for object code. Otherwise outputs name
 * regions "instructions" from then on. `name` is for messages. */
int report_object_begin(struct report_arguments *arguments, const char *name);

/* Decodes the code of the ELFs in the inputs. */
int report_object_open(struct report_arguments *arguments);

/* Copies the trace of a run into the report's folder, so that a later report
 * can combine this run with others, and adds it to the inputs. */
int report_object_add_run(struct report_arguments *arguments, const char *trace,
                          const struct report_folder *report_in);

/* Adds the counts of the traces among the names, finds the lines of the ELFs,
 * sets inputs.object, and writes the lists of instructions. Without debug lines
 * no model can be made; then prints the table of functions instead, and leaves
 * inputs.object NULL. */
int report_object_read(struct report_arguments *arguments, char **names,
                       size_t count, const struct report_folder *folder);

/* Prints notes about the object code. Call it after the table. */
void report_object_print_notes(struct report_arguments *arguments);

#endif
