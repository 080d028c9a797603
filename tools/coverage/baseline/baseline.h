/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What an earlier report covered, and this one does not.
 *
 * Functions are paired by name; if several have the name, by the end of their
 * files' names. Within a pair, lines, branches and conditions of MC/DC are
 * compared from the first on, as long as places relative to the function are
 * the same, and from the last one backwards. What lies between was changed, and
 * is not compared. Lines of macros are compared at their uses. What several
 * ELFs or forms of a template have is covered if one of them covers it.
 */
#ifndef BAREPROF_TOOLS_BASELINE_H
#define BAREPROF_TOOLS_BASELINE_H

#include "../../base/file.h"
#include "../coverage.h"
#include "../inputs/paths.h"
#include "../model/view.h"
#include "../out/out.h"

/* A model of one of the two reports: an earlier one may have several. */
struct against_part {
  struct exported own; /* of the earlier report; else empty */
  const struct exported *exported;
  struct view view;
  uint32_t *items; /* numbers of the view's items, by their functions, */
  uint32_t *begin; /* whose first ones are here; and after the last one */
};

/* A function's form by its name. */
struct against_name {
  const char *name, *file;
  uint32_t part, function; /* of the part's view */
};

struct against_side {
  struct against_part *parts;
  size_t part_count;
  struct against_name *names, *others; /* others: those whose name the other
                                          side lacks, by the plain name */
  size_t name_count, other_count;
  struct file_row total;
};

/* What is lost; or a function that is gone, in its file and line then. */
struct against_loss {
  const char *file, *name; /* as the compiler has them; name: the function's */
  uint32_t line, was;      /* of this report, and of the earlier one */
  uint32_t metric, column, number; /* tell those of a line apart */
};

/* Begins as {0}. */
struct baseline {
  struct file file;
  bool fail_lost, fail_lower; /* by the user */
  bool no_constants;          /* Exports of this release have no branches whose
                                 sides are both constant. */
  /* The result. */
  struct against_side then, now;
  struct against_loss *lost, *gone; /* by place, each once */
  size_t lost_count, gone_count;
  uint64_t counts[METRICS];         /* of those lost */
  size_t changed;                   /* functions, */
  uint64_t changed_counts[METRICS]; /* and what was covered in them, but is
                                         not compared */
};

/* Reads the earlier report. Returns 0, or reports the error and returns 1. */
int against_read(struct baseline *against, const char *name);

/* The same for its text, which must live as long. Returns NULL or the error. */
const char *against_take(struct baseline *against, struct bytes text);

/* Compares. The coverage must live as long. Call it once. Returns 0, or reports
 * the error and returns 1. */
int against_measure(struct baseline *against, const struct coverage *coverage);

/* Adds the checks that the user wants and that fail. */
void against_check(const struct baseline *against, const struct paths *paths,
                   struct checks *checks);

/* Prints the totals then and now, and what is lost. */
void against_show(const struct baseline *against, const struct paths *paths);

/* Writes the same in Markdown; and as JSON, the inside of an object. */
void against_markdown(const struct baseline *against, const struct paths *paths,
                      FILE *stream);
void against_json(const struct baseline *against, FILE *stream);

void against_free(struct baseline *against);

/* ---- baseline_compare.c ----
 *
 * Only for baseline.c: compares a function of the earlier report with those
 * that it has become.
 *
 *     comparing_begin(&comparing, against);
 *     compare_begin(&comparing, part, function);
 *     compare_with(&comparing, name);  once for each
 *     error = compare_end(&comparing);
 *     comparing_end(&comparing);
 */

struct comparing {
  struct baseline *against;
  uint32_t part, function;  /* of the earlier report */
  struct buffer then, now;  /* struct spot */
  struct against_name last; /* that it was compared with; name NULL: none */
  size_t left;              /* lines that may still be looked at */
  size_t open;              /* covered then, and not found covered now */
  const char *error;
};

void comparing_begin(struct comparing *comparing, struct baseline *against);
void comparing_end(struct comparing *comparing);

void compare_begin(struct comparing *comparing, uint32_t part,
                   uint32_t function);
void compare_with(struct comparing *comparing, const struct against_name *name);

/* Whether nothing can be lost any more, or an error has come. */
bool compare_done(const struct comparing *comparing);

/* Returns NULL or the error of all of these functions. */
const char *compare_end(struct comparing *comparing);

/* Sorts what is lost or gone, and counts each once. */
void comparing_settle(struct baseline *against);

#endif
