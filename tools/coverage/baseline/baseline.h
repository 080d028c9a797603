/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module finds the code that an earlier report covered and this report
 * does not (`--against`).
 *
 * A function of one report is compared with the function of the same name in
 * the other report. If several functions have the name, the ends of their
 * files' names decide. The lines, branches and MC/DC conditions of the two
 * functions are compared from the first one on, while their places relative to
 * the function are the same, and from the last one backwards. The code in
 * between has changed and is not compared. Lines of macros are compared where
 * the macro is used. Code in several ELFs or instantiations is covered if any
 * ELF or instantiation covers it.
 */
#ifndef BAREPROF_TOOLS_BASELINE_H
#define BAREPROF_TOOLS_BASELINE_H

#include "../../base/file.h"
#include "../coverage.h"
#include "../inputs/paths.h"
#include "../model/view.h"
#include "../out/out.h"

/* A model of a report, with its elements in order. An llvm-cov export may have
 * several models. */
struct baseline_model {
  struct model own; /* the model, if the earlier report owns it; else empty */
  const struct model *exported; /* `own`, or the model of this report */
  struct model_view view;
  uint32_t *items; /* indexes in the view's items, sorted by function */
  uint32_t *begin; /* where the items of each function begin, then the end */
};

/* The name of one instantiation of a function. */
struct baseline_function_name {
  const char *name, *file;
  uint32_t part, function; /* index of the part; index of the function in the
                              part's view */
};

/* One of the two reports that are compared. */
struct baseline_side {
  struct baseline_model *parts;
  size_t part_count;
  /* `names` has all names, `others` the names that the other report lacks, both
   * sorted by plain name. */
  struct baseline_function_name *names, *others;
  size_t name_count, other_count;
  struct file_row total;
};

/* A covered element that is not covered any more, or a function that is gone. A
 * gone function has its file and line in the earlier report. */
struct baseline_loss {
  const char *file, *name; /* names of the file and the function, as the
                              compiler has them */
  uint32_t line, was;      /* line in this report; line in the earlier report */
  uint32_t metric, column, number; /* These fields tell the losses on one line
                                      apart. */
};

/* The comparison of two reports. Initialise as {0}. */
struct baseline {
  struct file file;
  bool fail_lost, fail_lower; /* the user's options */
  /* The functions of the earlier report lack branches with two constant
   * outcomes, because llvm-cov did not export them before release 20. */
  bool no_constants;
  /* The next fields are the result. */
  struct baseline_side then, now;
  struct baseline_loss *lost, *gone; /* sorted by place, each loss once */
  size_t lost_count, gone_count;
  uint64_t counts[METRICS];         /* number of losses of each metric */
  size_t changed;                   /* number of functions that have changed */
  uint64_t changed_counts[METRICS]; /* numbers of covered elements in changed
                                       functions; these are not compared */
};

/* Reads the earlier report. Ends the command after an error. */
void baseline_read(struct baseline *against, const char *name);

/* Parses the text of an earlier report, which must live as long as *against.
 * Returns NULL or the error. */
const char *baseline_parse(struct baseline *against, struct bytes text);

/* Compares the earlier report with this coverage, which must live as long as
 * *against. Call it once. Ends the command after an error. */
void baseline_compare(struct baseline *against,
                      const struct coverage *coverage);

void baseline_free(struct baseline *against);

/* ---- baseline_show.c ---- */

/* Adds the checks that the user asked for (fail_lost, fail_lower) and that have
 * failed. */
void baseline_add_failed_checks(const struct baseline *against,
                                const struct source_maps *paths,
                                struct failed_checks *checks);

/* Prints the totals of both reports, and the losses. */
void baseline_print(const struct baseline *against,
                    const struct source_maps *paths);

/* These functions write the same results as baseline_print: in Markdown, and as
 * members of a JSON object. */
void baseline_print_markdown(const struct baseline *against,
                             const struct source_maps *paths, FILE *stream);
void baseline_print_json(const struct baseline *against, FILE *stream);

#endif
