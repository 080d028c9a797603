/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof report and bareprof run: what the user asks for, and its making.
 */
#ifndef BAREPROF_TOOLS_CMD_REPORT_H
#define BAREPROF_TOOLS_CMD_REPORT_H

#include "../base/options.h"
#include "../coverage/baseline/baseline.h"
#include "../coverage/tests/by_test.h"
#include "../coverage/baseline/change.h"
#include "../coverage/inputs/console.h"
#include "../coverage/coverage.h"
#include "../coverage/out/outputs.h"
#include "../coverage/out/result.h"
#include "run_gdb.h"

enum { MAPS_MOST = 64, JUNITS_MOST = 64 };

struct report_arguments {
  char **words; /* the command line, up to NULL */
  const char *out;
  struct outputs outputs;
  bool expansions; /* in the JSON */
  const char *maps[MAPS_MOST]; /* copies */
  bool uncovered;
  bool llvm_ignored; /* options that have no effect */
  const char *diff;
  unsigned diff_format;
  bool diff_formatted;
  struct change change;     /* of diff */
  const char *against_name; /* or NULL */
  struct against against;
  struct lcov lines;    /* of the model, if something needs it */
  char *evidence;       /* evidence.json in one line */
  struct limits limits;
  struct checks checks; /* those that failed */
  struct exclusions exclusions;
  struct wishes wishes;
  struct inputs inputs;
  struct tests tests;
  const char *junits[JUNITS_MOST];
  size_t junit_count;
  /* Only for run. */
  struct console console;
  struct run_gdb gdb;
  bool live;  /* the command is that */
  bool has_page;
  unsigned page; /* its port */
  bool trace; /* counts come of QEMU's plugin */
  bool counted; /* how many dumps are wanted */
  double timeout; /* seconds */
};

/* The options; those of run and live alone come first. */
enum { RUN_OPTIONS = 13 };
extern const struct option_row report_options[];

/* Makes the report, and prints the result. names: ELFs and logs. Returns the
 * exit status. */
int report_make(struct report_arguments *arguments, char **names, size_t count);

#endif
